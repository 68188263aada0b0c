import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageRef, type Image } from '../../../src/core/image.js';
import { unwrap } from '../../../src/core/result.js';
import {
  checkSvg,
  extractSvg,
  openSvgRasteriser,
  SVG_PROBLEMS,
  type SvgRasteriser,
} from '../../../src/render/svg/index.js';
import { HARMLESS, HOSTILE } from './hostile.js';

const RED = '<svg width="60" height="40"><rect x="10" y="10" width="20" height="10" fill="#f00"/></svg>';

function pixel({ width, rgb }: Image, x: number, y: number): number[] {
  return [...rgb.subarray(3 * (y * width + x), 3 * (y * width + x) + 3)];
}

describe('drawing', () => {
  let rasteriser: SvgRasteriser;
  beforeAll(() => {
    rasteriser = openSvgRasteriser();
  });
  afterAll(() => rasteriser.close());
  const draw = async (markup: string, size = {}): Promise<Image> =>
    unwrap(await rasteriser.render(markup, size));

  it('puts each pixel where the drawing says, on white', async () => {
    const image = await draw(RED);
    expect([image.width, image.height]).toEqual([60, 40]);
    expect(pixel(image, 10, 10)).toEqual([255, 0, 0]);
    expect(pixel(image, 29, 19)).toEqual([255, 0, 0]);
    expect(pixel(image, 9, 10)).toEqual([255, 255, 255]);
    expect(pixel(image, 30, 19)).toEqual([255, 255, 255]);
  });

  it.each([
    [{ width: 120 }, 120, 80],
    [{ height: 20 }, 30, 20],
    [{ width: 90, height: 90 }, 90, 90],
  ])('draws at the size that is asked for: %j', async (size, width, height) => {
    const image = await draw(RED, size);
    expect([image.width, image.height]).toEqual([width, height]);
    expect(pixel(image, Math.floor(width / 3), Math.floor(height * 0.375))).toEqual([255, 0, 0]);
  });

  it.each([
    ['<svg><rect x="10" y="10" width="9" height="9"/></svg>', 300, 150, 10, 10],
    ['<svg viewBox="0 0 100 50"><rect x="10" y="10" width="9" height="9"/></svg>', 100, 50, 10, 10],
    ['<svg width="50" viewBox="0 0 100 50"><rect x="10" y="10" width="9" height="9"/></svg>', 50, 25, 5, 5],
    ["<svg width='100%' height='9%'><rect x='10' y='10' width='9' height='9'/></svg>", 300, 150, 10, 10],
  ])('keeps proportions where the size is told in other ways: %s', async (markup, width, height, x, y) => {
    const image = await draw(markup);
    expect([image.width, image.height]).toEqual([width, height]);
    expect(pixel(image, x, y)).toEqual([0, 0, 0]);
    expect(pixel(image, x - 1, y)).toEqual([255, 255, 255]);
  });

  it('gives the same bytes again, from another process too', async () => {
    const markup = HARMLESS.find(([what]) => what === 'text')?.[1] ?? '';
    const other = openSvgRasteriser();
    try {
      const hashes = [await draw(markup), await draw(markup), unwrap(await other.render(markup))];
      expect(new Set(hashes.map((image) => imageRef(image).hash)).size).toBe(1);
    } finally {
      await other.close();
    }
  });

  it('draws text with the bundled fonts, whatever family is named', async () => {
    const text = (family: string): string =>
      `<svg width="90" height="30"><text x="2" y="20" font-size="14" font-family="${family}">Sizes 0123</text></svg>`;
    const hash = async (family: string): Promise<string> => imageRef(await draw(text(family))).hash;
    const sans = await hash('DejaVu Sans');
    expect(await hash('Arial')).toBe(sans);
    expect(await hash('NoSuchFontAnywhere')).toBe(sans);
    expect(await hash('sans-serif')).toBe(sans);
    expect(await hash('serif')).toBe(await hash('DejaVu Serif'));
    expect(await hash('serif')).not.toBe(sans);
    expect(await hash('Courier New')).toBe(await hash('DejaVu Sans Mono'));
  });

  it.each(HARMLESS)('draws %s', async (_what, markup) => {
    const result = await rasteriser.render(markup);
    expect(result).toMatchObject({ ok: true });
  });

  it.each(HOSTILE)('contains %s', async (_what, markup, ...problems) => {
    const result = await rasteriser.render(markup);
    expect(result).toMatchObject({ ok: false, error: { reason: expect.toBeOneOf(problems) } });
    expect(result.ok ? '' : result.error.detail).toMatch(/^[^\n]{3,}$/);
    expect(await rasteriser.render(RED)).toMatchObject({ ok: true });
  });

  it('says where markup is broken', async () => {
    const result = await rasteriser.render('<svg>\n  <rect width="9"\n  <circle/>\n</svg>');
    expect(result).toMatchObject({ ok: false, error: { reason: 'syntax', position: { line: 3 } } });
  });

  it('stops what takes too long, and goes on', async () => {
    const slow = openSvgRasteriser({ limits: { milliseconds: 100 } });
    try {
      // Passes every check, and keeps librsvg busy for seconds.
      const markup = `<svg width="2000" height="2000"><filter id="f" x="0" y="0" width="1" height="1">${'<feTurbulence baseFrequency="0.9" numOctaves="8"/>'.repeat(8)}</filter><rect width="2000" height="2000" filter="url(#f)"/></svg>`;
      expect(checkSvg(markup).ok).toBe(true);
      const results = await Promise.all([slow.render(markup), slow.render(RED), slow.render(markup)]);
      expect(results.map((r) => (r.ok ? 'ok' : r.error.reason))).toEqual(['timeout', 'ok', 'timeout']);
    } finally {
      await slow.close();
    }
  });

  it('answers each of many at once with its own picture', async () => {
    const many = openSvgRasteriser({ workers: 2 });
    try {
      const markup = (i: number): string =>
        `<svg width="20" height="20"><rect width="10" height="20" fill="rgb(${i},0,0)"/></svg>`;
      const images = await Promise.all(Array.from({ length: 24 }, (_, i) => many.render(markup(i * 10))));
      expect(images.map((image) => pixel(unwrap(image), 0, 0)[0])).toEqual(
        Array.from({ length: 24 }, (_, i) => i * 10),
      );
    } finally {
      await many.close();
    }
  });

  it('refuses what is asked after it was closed', async () => {
    const closed = openSvgRasteriser();
    await closed.close();
    await expect(closed.render(RED)).rejects.toThrow('the rasteriser was closed');
  });
});

describe('checkSvg', () => {
  it.each([
    ['width="60" height="40"', 60, 40],
    ['viewBox="0 0 120 80"', 120, 80],
    ['viewBox="0,0,120,80" width="60"', 60, 40],
    ['width="1in" height="72pt"', 96, 96],
    ['', 300, 150],
    ['width="100%" height="50%" viewBox="0 0 30 20"', 30, 20],
  ])('reads the size of <svg %s>', (attributes, width, height) => {
    expect(checkSvg(`<svg ${attributes}><g/></svg>`)).toMatchObject({
      ok: true,
      value: { width, height, elements: 2 },
    });
  });

  it('never throws, and refuses with a reason, whatever is cut, doubled or mixed', () => {
    const pieces = [...HOSTILE, ...HARMLESS].map(([, markup]) => markup.slice(0, 3000));
    const mutated = fc
      .tuple(fc.constantFrom(...pieces), fc.constantFrom(...pieces), fc.nat(), fc.nat(), fc.string())
      .map(([a, b, i, j, noise]) => a.slice(0, i % (a.length + 1)) + noise + b.slice(j % (b.length + 1)));
    fc.assert(
      fc.property(mutated, (markup) => {
        const result = checkSvg(markup);
        if (result.ok) expect(result.value.width * result.value.height).toBeGreaterThan(0);
        else expect(SVG_PROBLEMS).toContain(result.error.reason);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('extractSvg', () => {
  it.each([
    ['bare', `Here: ${RED} done`, RED],
    ['fenced', `First\n\`\`\`svg\n${RED}\n\`\`\`\nthat's it`, RED],
    ['fenced as XML, twice', `\`\`\`xml\n<svg/>\n\`\`\`\n\`\`\`xml\n${RED}\n\`\`\``, RED],
    ['with a declaration', `\`\`\`svg\n<?xml version="1.0"?>\n${RED}\n\`\`\``, RED],
    ['fenced, but not in the fence', `\`\`\`py\nprint()\n\`\`\`\n${RED}`, RED],
    ['cut off', 'x <svg width="9"><rect ', '<svg width="9"><rect'],
  ])('finds a drawing: %s', (_what, completion, found) => {
    expect(unwrap(extractSvg(completion))).toBe(found);
  });

  it.each(['', 'no drawing', '<svgs>', '&lt;svg&gt;'])('finds none in %j', (completion) => {
    expect(extractSvg(completion)).toMatchObject({ ok: false, error: { reason: 'not-found' } });
  });
});
