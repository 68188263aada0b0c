import { afterAll, describe, expect, it } from 'vitest';
import { imageRef, type Image } from '../../../src/core/image.js';
import { unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import { Canvas, coverageOf } from '../../../src/render/chart/paint/canvas.js';
import { fontOf } from '../../../src/render/chart/paint/font.js';
import {
  dashed,
  discOutline,
  sectorOutline,
  strokeOutlines,
} from '../../../src/render/chart/paint/outlines.js';
import { CHART_TYPES, drawChart, layoutChart, openSvgRasteriser } from '../../../src/render/index.js';
import { FULL, MICRO, sampleCharts, sampleSpec } from './sample.js';
import { drawingSvg } from './svg.js';

/** Pixels that a shape covers, in all. */
function area(outlines: readonly (readonly number[])[]): number {
  const covered = coverageOf(outlines, 200, 200);
  return covered ? covered.bytes.reduce((sum, byte) => sum + byte, 0) / 255 : 0;
}

describe('coverage', () => {
  it('is the area of the shape', () => {
    expect(area([[10.25, 10.5, 30.75, 10.5, 30.75, 20, 10.25, 20]])).toBeCloseTo(20.5 * 9.5, 0);
    expect(area([[10, 10, 110, 10, 10, 60]])).toBeCloseTo(2500, -1);
    expect(area([discOutline(100, 100, 50)])).toBeCloseTo(Math.PI * 2500, -1.5);
    expect(area([sectorOutline(100, 100, 20, 50, 1, 2)])).toBeCloseTo((2500 - 400) / 2, -1);
  });

  it('of a line is its length times its width, however thin it is', () => {
    expect(area(strokeOutlines([20, 20, 140, 110], 3))).toBeCloseTo(450, -0.5);
    expect(area(strokeOutlines([20, 20, 140, 110], 0.5))).toBeCloseTo(75, -0.5);
    // A right angle overlaps inside and has its corner outside.
    expect(area(strokeOutlines([20, 20, 120, 20, 120, 120], 10))).toBeCloseTo(2000, -1);
  });

  it('is cut at the edges of the picture', () => {
    expect(area([[-100, -100, 300, -100, 300, 300, -100, 300]])).toBeCloseTo(40_000, -1);
    expect(area([[-50, -50, -10, -50, -10, -10]])).toBe(0);
    expect(area([discOutline(0, 100, 50)])).toBeCloseTo((Math.PI * 2500) / 2, -1.5);
  });

  it('is all zero again for the next shape', () => {
    const once = coverageOf([discOutline(60, 60, 40)], 200, 200);
    coverageOf([[3, 3, 190, 40, 20, 180]], 200, 200);
    expect(coverageOf([discOutline(60, 60, 40)], 200, 200)).toEqual(once);
  });
});

describe('lines', () => {
  it('are cut into dashes of the right length', () => {
    const pieces = dashed([0, 0, 100, 0], [10, 5]);
    expect(pieces).toHaveLength(7);
    expect(pieces[0]).toEqual([0, 0, 10, 0]);
    expect(pieces[6]![0]).toBeCloseTo(90);
  });

  it('keep going round a corner', () => {
    expect(dashed([0, 0, 8, 0, 8, 8], [10, 2])[0]).toEqual([0, 0, 8, 0, 8, 2]);
  });
});

describe('fonts', () => {
  it('have the widths that their files say', () => {
    // DejaVu Sans: 2048 units; zero is 1303 wide, A 1401.
    expect(fontOf('sans', false).width('0', 2048)).toBe(1303);
    expect(fontOf('sans', false).width('A0', 2048)).toBe(1303 + 1401);
    expect(fontOf('mono', false).width('iiii', 20)).toBeCloseTo(fontOf('mono', false).width('WWWW', 20));
  });

  it('know what they lack', () => {
    expect(fontOf('sans', false).missing('Zürich – Αθήνα 1.5 €')).toBeNull();
    expect(fontOf('sans', false).missing('東京')).toBe('東');
  });
});

describe('canvas', () => {
  it('mixes at edges between pixels', () => {
    const canvas = new Canvas(4, 1, '#000000');
    canvas.rect(0.5, 0, 2.25, 1, '#ffffff');
    expect([...canvas.finish().rgb].filter((_, i) => i % 3 === 0)).toEqual([128, 255, 64, 0]);
  });
});

describe('drawing', () => {
  const rasteriser = openSvgRasteriser();
  afterAll(() => rasteriser.close());

  it.each(CHART_TYPES)('%s: agrees with another painter', { timeout: 120_000 }, async (type) => {
    const { charts } = sampleCharts(Rng.fromSeed(5), type, FULL, 4);
    for (const { spec, image } of charts) {
      const { drawing } = unwrap(layoutChart(spec, FULL));
      const other = await rasteriser.renderTrusted(drawingSvg(drawing), drawing);
      const { mean, far } = compare(image, other);
      expect(mean).toBeLessThan(1.5);
      expect(far).toBeLessThan(0.02);
    }
  });

  it.each([FULL, MICRO])('is the same every time, $kind', (view) => {
    for (const type of CHART_TYPES) {
      const spec = sampleSpec(Rng.fromSeed(6).child(type), type, view.kind);
      const [a, b] = [drawChart(spec, view), drawChart(structuredClone(spec), view)];
      if (!a.ok || !b.ok) {
        expect(a).toEqual(b);
        continue;
      }
      expect(a.value.geometry).toEqual(b.value.geometry);
      expect(imageRef(a.value.image)).toEqual(imageRef(b.value.image));
    }
  });

  it('gives the pixels that it gave on every other machine', () => {
    const hashes = [FULL, MICRO].flatMap((view) =>
      CHART_TYPES.map((type) => {
        const { charts } = sampleCharts(Rng.fromSeed(7).child(view.kind), type, view, 1);
        return `${view.kind} ${type} ${imageRef(charts[0]!.image).hash.slice(0, 16)}`;
      }),
    );
    expect(hashes).toMatchSnapshot();
  });
});

/** Mean difference of pixels, 0 to 255, and the share of pixels that are far apart: texts differ by shifts of less than a pixel. */
function compare(a: Image, b: Image): { mean: number; far: number } {
  let [sum, far] = [0, 0];
  for (let i = 0; i < a.rgb.length; i++) {
    const off = Math.abs(a.rgb[i]! - b.rgb[i]!);
    sum += off;
    if (off > 64) far++;
  }
  return { mean: sum / a.rgb.length, far: far / a.rgb.length };
}
