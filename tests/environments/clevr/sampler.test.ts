import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/core/errors.js';
import { Rng } from '../../../src/core/rng.js';
import { placementProblem, sampleScene } from '../../../src/environments/clevr/sampler.js';
import { RADIUS, type ClevrObject, type ClevrScene } from '../../../src/environments/clevr/scene.js';

const CAMERA = { x: 7.48113, y: -6.50764, z: 5.34367 };

function at(x: number, y: number, size: 'small' | 'large' = 'small'): ClevrObject {
  return { shape: 'cube', color: 'red', material: 'metal', size, x, y, rotation: 0 };
}

function scene(...objects: ClevrObject[]): ClevrScene {
  return { objects, camera: CAMERA };
}

describe('sampleScene', () => {
  it('keeps the official distances between all objects', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 10 }), (seed, max) => {
        const { objects, camera } = sampleScene(Rng.fromSeed(seed), { objects: [0, max] });
        expect(objects.length).toBeLessThanOrEqual(max);
        for (const [axis, value] of Object.entries(camera)) {
          expect(Math.abs(value - CAMERA[axis as keyof typeof CAMERA])).toBeLessThanOrEqual(0.5);
        }
        const azimuth = Math.atan2(camera.y, camera.x);
        objects.forEach((a, i) => {
          expect(Math.max(Math.abs(a.x), Math.abs(a.y))).toBeLessThanOrEqual(3);
          expect(a.rotation >= 0 && a.rotation < 360).toBe(true);
          objects.slice(i + 1).forEach((b) => {
            const gap = Math.hypot(a.x - b.x, a.y - b.y);
            expect(gap - RADIUS[a.size] - RADIUS[b.size]).toBeGreaterThanOrEqual(0.25 - 1e-5);
            const bearing = Math.atan2(a.y - b.y, a.x - b.x) - azimuth;
            expect(Math.abs(gap * Math.cos(bearing))).toBeGreaterThanOrEqual(0.4 - 1e-5);
            expect(Math.abs(gap * Math.sin(bearing))).toBeGreaterThanOrEqual(0.4 - 1e-5);
          });
        });
      }),
      { numRuns: 200 },
    );
  });

  it('draws every number of objects about alike often, and every attribute', () => {
    const counts = new Map<number, number>();
    const words = new Set<string>();
    for (let seed = 0; seed < 400; seed++) {
      const { objects } = sampleScene(Rng.fromSeed(seed), { objects: [3, 6] });
      counts.set(objects.length, (counts.get(objects.length) ?? 0) + 1);
      for (const o of objects) [o.shape, o.color, o.material, o.size].forEach((word) => words.add(word));
    }
    expect([...counts.keys()].sort()).toEqual([3, 4, 5, 6]);
    for (const n of counts.values()) expect(n).toBeGreaterThan(60);
    expect(words.size).toBe(3 + 8 + 2 + 2);
  });

  it('is a function of its stream and keeps to what it is asked for', () => {
    const options = { objects: [4, 4], extent: 2, sizes: ['small'], colors: ['red', 'blue'] } as const;
    const drawn = sampleScene(Rng.fromSeed(5), options);
    expect(sampleScene(Rng.fromSeed(5), options)).toEqual(drawn);
    expect(sampleScene(Rng.fromSeed(6), options)).not.toEqual(drawn);
    for (const o of drawn.objects) {
      expect(o.size).toBe('small');
      expect(['red', 'blue']).toContain(o.color);
      expect(Math.max(Math.abs(o.x), Math.abs(o.y))).toBeLessThanOrEqual(2);
    }
  });

  it('refuses what can never be placed', () => {
    const rng = Rng.fromSeed(1);
    expect(() => sampleScene(rng, { objects: [10, 10], extent: 0.5 })).toThrow(ConfigError);
    expect(() => sampleScene(rng, { objects: [4, 3] })).toThrow(ConfigError);
    expect(() => sampleScene(rng, { objects: [1, 11] })).toThrow(ConfigError);
    expect(() => sampleScene(rng, { objects: [1, 2], extent: 4 })).toThrow(/extent = 4/);
  });
});

describe('placementProblem', () => {
  it('is null where all is well', () => {
    expect(placementProblem(scene(at(0, 0), at(2, 1)), 1)).toBeNull();
    expect(placementProblem(scene(at(3, -3)), 0)).toBeNull();
  });

  it('tells rims, margins and the frame apart', () => {
    const camera = Math.hypot(CAMERA.x, CAMERA.y);
    const [fx, fy] = [CAMERA.x / camera, CAMERA.y / camera];
    // Along the view axis two objects are level left/right; at 45 degrees to it both margins are met.
    expect(placementProblem(scene(at(0, 0), at(2 * fx, 2 * fy)), 1)?.reason).toBe('margin');
    expect(placementProblem(scene(at(0, 0), at(-2 * fy, 2 * fx)), 1)?.reason).toBe('margin');
    const diagonal = (d: number): ClevrObject =>
      at(((fx - fy) * d) / Math.SQRT2, ((fy + fx) * d) / Math.SQRT2);
    expect(placementProblem(scene(at(0, 0), diagonal(0.951)), 1)).toBeNull();
    expect(placementProblem(scene(at(0, 0), diagonal(0.949)), 1)?.reason).toBe('overlap');
    expect(placementProblem(scene(at(0, 0, 'large'), diagonal(1.2)), 0)?.reason).toBe('overlap');
    expect(placementProblem(scene(at(3.01, 0)), 0)?.reason).toBe('out-of-frame');
    expect(placementProblem(scene(at(1.5, 0)), 0, 1)?.detail).toContain('object 0');
    expect(() => placementProblem(scene(), 0)).toThrow(/no object 0/);
  });
});
