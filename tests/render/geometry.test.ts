import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { project, renderScene, type RenderObject, type RenderScene } from '../../src/render/index.js';
import { anyScene, CAMERA, solid } from './scenes.js';

/*
 * A second derivation of what is seen, written the slow way: vectors as triples, every ray against every object, cubes
 * as six squares, cylinders as a tube and two discs, trigonometry from Math.
 */
type Vec = readonly [number, number, number];
const add = (a: Vec, b: Vec, k = 1): Vec => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
const dot = (a: Vec, b: Vec) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vec, b: Vec): Vec => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const unit = (a: Vec): Vec => add([0, 0, 0], a, 1 / Math.hypot(...a));

/** Unit rays through pixel coordinates. */
function lens(scene: RenderScene, width: number, height: number): (x: number, y: number) => Vec {
  const eye: Vec = [scene.camera.x, scene.camera.y, scene.camera.z];
  const forward = unit(add([0, 0, 0], eye, -1));
  const right = unit(cross(forward, [0, 0, 1]));
  const up = cross(right, forward);
  const focal = Math.min((525 / 480) * width, (525 / 320) * height);
  return (x, y) => unit(add(add(forward, right, (x - width / 2) / focal), up, (height / 2 - y) / focal));
}

/** Distances at which a ray meets the object's surface, any order. */
function meetings(o: RenderObject, eye: Vec, ray: Vec): number[] {
  const r = o.shape === 'cube' ? o.radius / Math.sqrt(2) : o.radius;
  const from = add(eye, [o.x, o.y, r], -1);
  if (o.shape === 'sphere') {
    const closest = -dot(from, ray);
    const off = Math.hypot(...add(from, ray, closest));
    return off > r ? [] : [closest - Math.sqrt(r * r - off * off)];
  }
  const found: number[] = [];
  if (o.shape === 'cylinder') {
    for (const z of [-r, r]) {
      const t = (z - from[2]) / ray[2];
      const at = add(from, ray, t);
      if (Math.hypot(at[0], at[1]) <= r) found.push(t);
    }
    const flat = Math.hypot(ray[0], ray[1]);
    const middle = -(from[0] * ray[0] + from[1] * ray[1]) / flat;
    const off = Math.abs(from[0] * ray[1] - from[1] * ray[0]) / flat;
    const t = (middle - Math.sqrt(r * r - off * off)) / flat;
    if (off <= r && Math.abs(add(from, ray, t)[2]) <= r) found.push(t);
    return found;
  }
  const angle = (o.rotation * Math.PI) / 180;
  const axes: Vec[] = [
    [Math.cos(angle), Math.sin(angle), 0],
    [-Math.sin(angle), Math.cos(angle), 0],
    [0, 0, 1],
  ];
  axes.forEach((normal, i) => {
    for (const side of [-r, r]) {
      const t = (side - dot(from, normal)) / dot(ray, normal);
      const at = add(from, ray, t);
      if (axes.every((axis, j) => j === i || Math.abs(dot(at, axis)) <= r)) found.push(t);
    }
  });
  return found;
}

function bruteForce(scene: RenderScene, width: number, height: number, samples: number) {
  const eye: Vec = [scene.camera.x, scene.camera.y, scene.camera.z];
  const rayThrough = lens(scene, width, height);
  const seen = scene.objects.map(() => ({ visible: 0, total: 0, xs: [] as number[], ys: [] as number[] }));
  for (let j = 0; j < height * samples; j++) {
    for (let i = 0; i < width * samples; i++) {
      const x = (2 * i + 1) / (2 * samples);
      const y = (2 * j + 1) / (2 * samples);
      const ray = rayThrough(x, y);
      const nearest = scene.objects.map((o) => Math.min(...meetings(o, eye, ray)));
      const first = Math.min(...nearest);
      nearest.forEach((t, k) => {
        const entry = seen[k];
        if (!entry || t === Infinity) return;
        entry.total++;
        if (t > first) return;
        entry.visible++;
        entry.xs.push(Math.floor(x));
        entry.ys.push(Math.floor(y));
      });
    }
  }
  return seen;
}

/** Points on an object's outline, as seen from the camera, densely. */
function outline(o: RenderObject, eye: Vec): Vec[] {
  const turns = Array.from({ length: 720 }, (_, i) => (i * Math.PI) / 360);
  const r = o.shape === 'cube' ? o.radius / Math.sqrt(2) : o.radius;
  const centre: Vec = [o.x, o.y, r];
  if (o.shape === 'cube') {
    return [45, 135, 225, 315].flatMap((turn) =>
      [0, 2 * r].map((z): Vec => {
        const angle = ((o.rotation + turn) * Math.PI) / 180;
        return [o.x + o.radius * Math.cos(angle), o.y + o.radius * Math.sin(angle), z];
      }),
    );
  }
  if (o.shape === 'cylinder') {
    return turns.flatMap((a) =>
      [0, 2 * r].map((z): Vec => [o.x + r * Math.cos(a), o.y + r * Math.sin(a), z]),
    );
  }
  // Where the cone from the eye touches the sphere.
  const toEye = add(eye, centre, -1);
  const far = Math.hypot(...toEye);
  const axis = unit(toEye);
  const u = unit(cross(axis, [0, 0, 1]));
  const v = cross(axis, u);
  const ring = Math.sqrt(1 - (r / far) * (r / far)) * r;
  return turns.map((a) =>
    add(add(add(centre, axis, (r * r) / far), u, ring * Math.cos(a)), v, ring * Math.sin(a)),
  );
}

describe('geometry', () => {
  it('counts visible and total pixels and their box as brute force does', () => {
    const sizes = fc.constantFrom([16, 16, 3], [24, 16, 2], [37, 41, 1], [24, 18, 3]);
    fc.assert(
      fc.property(anyScene, sizes, (scene, [width = 0, height = 0, samples = 1]) => {
        const { geometry } = renderScene(scene, { width, height, supersample: samples });
        const expected = bruteForce(scene, width, height, samples);
        expect(geometry.objects.length).toBe(expected.length);
        geometry.objects.forEach((found, i) => {
          const want = expected[i];
          if (!want) throw new Error('unreachable');
          expect(Math.round(found.visiblePixels * samples * samples)).toBe(want.visible);
          expect(Math.round(found.totalPixels * samples * samples)).toBe(want.total);
          expect(found.box).toEqual(
            want.visible === 0
              ? null
              : {
                  x0: Math.min(...want.xs),
                  y0: Math.min(...want.ys),
                  x1: Math.max(...want.xs) + 1,
                  y1: Math.max(...want.ys) + 1,
                },
          );
        });
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });

  it('says whether an outline leaves the frame', () => {
    const size = { width: 72, height: 48 };
    let inside = 0;
    let outside = 0;
    fc.assert(
      fc.property(anyScene, (scene) => {
        const { geometry } = renderScene(scene, { ...size, supersample: 1 });
        const eye: Vec = [scene.camera.x, scene.camera.y, scene.camera.z];
        scene.objects.forEach((o, i) => {
          // How far the outline reaches over the frame, in pixels; negative inside.
          const over = Math.max(
            ...outline(o, eye).map(([x, y, z]) => {
              const p = project(scene.camera, { x, y, z }, size);
              return Math.max(-p.x, -p.y, p.x - size.width, p.y - size.height);
            }),
          );
          if (Math.abs(over) < 0.01) return;
          expect(geometry.objects[i]?.clipped).toBe(over > 0);
          if (over > 0) outside++;
          else inside++;
        });
      }),
      { numRuns: 150, seed: 5, endOnFailure: true },
    );
    expect(inside).toBeGreaterThan(50);
    expect(outside).toBeGreaterThan(20);
  });

  it('projects with the official lens: the origin to the middle, 525 pixels of focal length at 480 x 320', () => {
    const size = { width: 480, height: 320 };
    const origin = project(CAMERA, { x: 0, y: 0, z: 0 }, size);
    const distance = Math.hypot(CAMERA.x, CAMERA.y, CAMERA.z);
    expect(origin.x).toBeCloseTo(240, 9);
    expect(origin.y).toBeCloseTo(160, 9);
    expect(origin.depth).toBeCloseTo(distance, 9);
    // One unit to the right of the origin lies in the plane of the origin's depth.
    const flat = Math.hypot(CAMERA.x, CAMERA.y);
    const right = project(CAMERA, { x: -CAMERA.y / flat, y: CAMERA.x / flat, z: 0 }, size);
    expect(right.x - 240).toBeCloseTo(525 / distance, 9);
    expect(right.y).toBeCloseTo(160, 9);
    expect(project(CAMERA, { x: 0, y: 0, z: 1 }, size).y).toBeLessThan(160);
  });

  it('gives a hidden object no pixels and no box, and leaves its total as it is', () => {
    const camera = { x: 8, y: 0, z: 1.5 };
    const front = solid({ x: 3, radius: 0.9, shape: 'cylinder' });
    const back = solid({ x: -3, radius: 0.2, shape: 'sphere' });
    const size = { width: 120, height: 80 };
    const both = renderScene({ camera, objects: [front, back] }, size).geometry.objects;
    const alone = renderScene({ camera, objects: [back] }, size).geometry.objects;
    expect(both[1]).toMatchObject({ visiblePixels: 0, box: null, clipped: false });
    expect(both[1]?.totalPixels).toBe(alone[0]?.totalPixels);
    expect(alone[0]?.visiblePixels).toBe(alone[0]?.totalPixels);
    expect(alone[0]?.totalPixels).toBeGreaterThan(10);
  });

  it('refuses what it can not draw', () => {
    const scene = { objects: [], camera: CAMERA };
    expect(() => renderScene(scene, { width: 0, height: 48 })).toThrow(RangeError);
    expect(() => renderScene(scene, { width: 48.5, height: 48 })).toThrow(RangeError);
    expect(() => renderScene(scene, { width: 48, height: 48, supersample: 9 })).toThrow(RangeError);
    expect(() => project({ x: 0, y: 0, z: 5 }, { x: 0, y: 0, z: 0 }, { width: 9, height: 9 })).toThrow(
      RangeError,
    );
    for (const bad of [solid({ radius: 0 }), solid({ x: NaN }), solid({ rotation: Infinity })]) {
      expect(() => renderScene({ objects: [bad], camera: CAMERA }, { width: 48, height: 48 })).toThrow(
        /object 0/,
      );
    }
  });
});
