import * as fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { imageRef, type Image } from '../../src/core/image.js';
import { rayCaster, renderScene } from '../../src/render/index.js';
import {
  displayTable,
  DISPLAY_STEPS,
  linearFromSrgb,
  sinCosDegrees,
} from '../../src/render/raycast/numbers.js';
import { anyScene, BLUE, CAMERA, FIXED, RED, solid, YELLOW } from './scenes.js';

function pixel(image: Image, x: number, y: number): [number, number, number] {
  const at = 3 * (Math.floor(y) * image.width + Math.floor(x));
  return [image.rgb[at] ?? -1, image.rgb[at + 1] ?? -1, image.rgb[at + 2] ?? -1];
}

const brightness = ([r, g, b]: readonly number[]) => ((r ?? 0) + (g ?? 0) + (b ?? 0)) / 3;

describe('numbers', () => {
  it('turns angles as Math does, to 1e-9', () => {
    fc.assert(
      fc.property(fc.double({ min: -1000, max: 1000, noNaN: true }), (degrees) => {
        const [sin, cos] = sinCosDegrees(degrees);
        const angle = (degrees * Math.PI) / 180;
        expect(Math.abs(sin - Math.sin(angle))).toBeLessThan(1e-9);
        expect(Math.abs(cos - Math.cos(angle))).toBeLessThan(1e-9);
      }),
    );
    for (const quarter of [-90, 0, 45, 90, 135, 180, 225, 270, 315, 360]) {
      expect(sinCosDegrees(quarter)[0]).toBeCloseTo(Math.sin((quarter * Math.PI) / 180), 9);
    }
  });

  it('knows the sRGB curve both ways', () => {
    for (let value = 0; value <= 255; value++) {
      const c = value / 255;
      const want = c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
      expect(linearFromSrgb(c)).toBeCloseTo(want, 12);
    }
    const table = displayTable();
    expect(table.length).toBe(DISPLAY_STEPS + 1);
    let worst = 0;
    for (let i = 0; i <= DISPLAY_STEPS; i++) {
      const x = i / DISPLAY_STEPS;
      const c = x <= 0.0031308 ? x * 12.92 : 1.055 * Math.pow(x, 1 / 2.4) - 0.055;
      worst = Math.max(worst, Math.abs((table[i] ?? -1) - 255 * c));
    }
    expect(worst).toBeLessThanOrEqual(0.5 + 1e-6);
  });

  it('uses no function in the pixel path whose bits differ between machines', () => {
    const folder = new URL('../../src/render/raycast/', import.meta.url);
    for (const file of readdirSync(folder)) {
      const code = readFileSync(new URL(file, folder), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      const used = [...code.matchAll(/Math\.(\w+)/g)].map((match) => match[1]);
      for (const name of used) {
        expect(['sqrt', 'min', 'max', 'floor', 'ceil', 'abs', 'SQRT2'], `${file}: Math.${name}`).toContain(
          name,
        );
      }
      expect(code.includes('**'), file).toBe(false);
    }
  });
});

describe('picture', () => {
  it('has the same bytes as ever', () => {
    const hashes: Record<string, string> = {};
    for (const [name, scene] of Object.entries(FIXED)) {
      for (const [width, height] of [
        [32, 32],
        [48, 48],
        [72, 48],
        [320, 240],
        [480, 320],
      ] as const) {
        hashes[`${name} ${width}x${height}`] = imageRef(
          renderScene(scene, { width, height }).image,
        ).hash.slice(0, 16);
      }
    }
    expect(hashes).toMatchSnapshot();
  });

  it('is a pure function of the scene, and of no order of calls', () => {
    fc.assert(
      fc.property(anyScene, (scene) => {
        const size = { width: 48, height: 40 };
        const first = renderScene(scene, size);
        renderScene(FIXED['crowded'] ?? scene, { width: 33, height: 35 });
        const second = rayCaster().render(JSON.parse(JSON.stringify(scene)) as typeof scene, size);
        if (second instanceof Promise) throw new Error('the ray caster answers at once');
        expect(second.geometry).toEqual(first.geometry);
        expect(Buffer.from(second.image.rgb).equals(Buffer.from(first.image.rgb))).toBe(true);
        expect(first.image.rgb.length).toBe(3 * 48 * 40);
      }),
      { numRuns: 15 },
    );
  });

  it('does not depend on the order of objects beyond the last bit of a colour', () => {
    const scene = FIXED['crowded'];
    if (!scene) throw new Error('unreachable');
    const size = { width: 96, height: 64 };
    const a = renderScene(scene, size);
    const b = renderScene({ ...scene, objects: [...scene.objects].reverse() }, size);
    expect([...b.geometry.objects].reverse()).toEqual(a.geometry.objects);
    const worst = a.image.rgb.reduce((most, v, i) => Math.max(most, Math.abs(v - (b.image.rgb[i] ?? 0))), 0);
    expect(worst).toBeLessThanOrEqual(1);
  });

  it('fades the empty ground into the background without an edge, whatever the camera sees', () => {
    const [width, height] = [160, 120];
    const steps = (camera: typeof CAMERA) => {
      const { rgb } = renderScene({ objects: [], camera }, { width, height }).image;
      const found = { across: 0, down: Array<number>(height).fill(0), least: 255, most: 0, tint: 0 };
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const at = 3 * (y * width + x);
          const here = rgb[at] ?? -1;
          found.least = Math.min(found.least, here);
          found.most = Math.max(found.most, here);
          if (rgb[at + 1] !== here || rgb[at + 2] !== here) found.tint++;
          if (x > 0) found.across = Math.max(found.across, Math.abs(here - (rgb[at - 3] ?? -1)));
          if (y > 0) {
            const step = Math.abs(here - (rgb[at - 3 * width] ?? -1));
            found.down[y] = Math.max(found.down[y] ?? 0, step);
          }
        }
      }
      return found;
    };
    const usual = steps(CAMERA);
    expect(usual.tint).toBe(0);
    expect(usual.least).toBeGreaterThan(100);
    expect(usual.most).toBeLessThan(230);
    expect(usual.across).toBeLessThanOrEqual(2);
    expect(Math.max(...usual.down)).toBeLessThanOrEqual(4);
    // A camera so low that the horizon, row 35, is in the picture: nothing is to be seen of it.
    const low = steps({ x: 8, y: -3, z: 1.2 });
    expect(Math.max(...low.down.slice(20, 42))).toBeLessThanOrEqual(4);
    expect(Math.max(...low.down)).toBeLessThanOrEqual(12);
  });

  it('shows rubber in its colour', () => {
    for (const [rgb, strongest] of [
      [RED, 0],
      [BLUE, 2],
    ] as const) {
      for (const shape of ['cube', 'sphere', 'cylinder'] as const) {
        const { image, geometry } = renderScene(
          { objects: [solid({ shape, rgb })], camera: CAMERA },
          { width: 72, height: 48 },
        );
        const [x, y] = geometry.objects[0]?.center ?? [0, 0];
        const seen = pixel(image, x, y);
        const others = seen.filter((_, c) => c !== strongest);
        for (const other of others) expect(seen[strongest]).toBeGreaterThan(1.5 * other);
      }
    }
    const yellow = renderScene(
      { objects: [solid({ rgb: YELLOW, shape: 'sphere' })], camera: CAMERA },
      { width: 72, height: 48 },
    ).image;
    const [r, g, b] = pixel(yellow, 36, 20);
    expect(Math.min(r, g)).toBeGreaterThan(1.5 * b);
  });

  it('gives metal sharp highlights that rubber lacks', () => {
    const spread = (material: 'rubber' | 'metal', shape: 'sphere' | 'cylinder', radius: number) => {
      const scene = { objects: [solid({ material, shape, radius, rgb: BLUE })], camera: CAMERA };
      const { image, geometry } = renderScene(scene, { width: 72, height: 48 });
      const box = geometry.objects[0]?.box;
      if (!box) throw new Error('unreachable');
      // Well inside the outline, where only the surface itself makes contrast.
      const insetX = Math.ceil((box.x1 - box.x0) / 4);
      const insetY = Math.ceil((box.y1 - box.y0) / 4);
      let most = 0;
      for (let y = box.y0 + insetY; y < box.y1 - insetY; y++) {
        for (let x = box.x0 + insetX; x < box.x1 - insetX - 1; x++) {
          const step = brightness(pixel(image, x, y)) - brightness(pixel(image, x + 1, y));
          most = Math.max(most, Math.abs(step));
        }
      }
      return most;
    };
    for (const shape of ['sphere', 'cylinder'] as const) {
      expect(spread('metal', shape, 0.7)).toBeGreaterThan(1.5 * spread('rubber', shape, 0.7));
    }
  });

  it('casts a soft shadow away from the key light, and none on the lit side', () => {
    const size = { width: 160, height: 107 };
    const without = renderScene({ objects: [], camera: CAMERA }, size).image;
    for (const shape of ['cube', 'sphere', 'cylinder'] as const) {
      const { image, geometry } = renderScene(
        { objects: [solid({ shape, rotation: 20 })], camera: CAMERA },
        size,
      );
      const box = geometry.objects[0]?.box;
      if (!box) throw new Error('unreachable');
      const drop = (x: number, y: number) =>
        brightness(pixel(without, x, y)) - brightness(pixel(image, x, y));
      const low = box.y1 - 4;
      expect(drop(box.x1 + 2, low)).toBeGreaterThan(25);
      expect(drop(box.x1 + 2, low)).toBeGreaterThan(drop(box.x0 - 4, low) + 15);
      // Far from everything nothing changes.
      expect(Math.abs(drop(3, 3))).toBeLessThanOrEqual(1);
    }
  });
});
