import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageRef } from '../../src/core/image.js';
import { decodeImage, encodePng } from '../../src/render/index.js';
import { checkIsolation } from '../../src/sandbox/index.js';
import { covolve, temporaryDirectory } from './fixtures.js';

let here: ReturnType<typeof temporaryDirectory>;
beforeAll(() => {
  here = temporaryDirectory();
});
afterAll(() => here.remove());

const file = (name: string): string => path.join(here.path, name);

describe('covolve svg', () => {
  const DRAWING = '<svg width="40" height="20"><circle cx="10" cy="10" r="8" fill="blue"/></svg>';

  it('draws a file, and writes the picture that its hash is of', async () => {
    writeFileSync(file('a.svg'), DRAWING);
    const { code, out } = await covolve(here.path, 'svg', 'a.svg', '--out', 'a.png', '--json');
    expect(code).toBe(0);
    const result = JSON.parse(out) as Record<string, unknown>;
    expect(result).toMatchObject({ status: 'ok', reason: null, width: 40, height: 20 });
    expect(imageRef(await decodeImage(readFileSync(file('a.png')))).hash).toBe(result['hash']);
  });

  it("draws what stands in a model's completion", async () => {
    writeFileSync(file('said.txt'), `Sure:\n\`\`\`svg\n${DRAWING}\n\`\`\`\n`);
    const { code, out } = await covolve(here.path, 'svg', 'said.txt');
    expect(code).toBe(0);
    expect(out).toMatch(/^ok: 40 x 20, [0-9a-f]{16}, \d+ ms\n$/);
  });

  it.each([
    ['<svg><rect', 'syntax', true],
    ['<svg><script/></svg>', 'forbidden', true],
    ['<svg/>', 'blank', false],
    ['nothing at all', 'not-found', false],
  ])('says of %j that it is %s', async (markup, status, placed) => {
    writeFileSync(file('bad.svg'), markup);
    const { code, out, err } = await covolve(here.path, 'svg', 'bad.svg', '--json', '--out', 'bad.png');
    expect([code, err]).toEqual([1, '']);
    const result = JSON.parse(out) as Record<string, unknown>;
    expect(result).toMatchObject({ status, width: null, height: null, hash: null });
    expect(result['position'] !== null).toBe(placed);
    expect(() => readFileSync(file('bad.png'))).toThrow();
  });
});

const isolated = (await checkIsolation()).ok;

describe.skipIf(!isolated)('covolve sandbox', () => {
  const PROGRAM = `def edit_image(img, angle):
    return img.rotate(angle)

args_list = [{"angle": 0}, {"angle": 90}, {"angle": 180}, {"angle": 270}]
`;

  it('runs a program and writes its images', async () => {
    const width = 80;
    const rgb = Uint8Array.from({ length: 3 * width * width }, (_, i) => i % 251);
    writeFileSync(file('in.png'), await encodePng({ width, height: width, rgb }));
    writeFileSync(file('p.py'), PROGRAM);
    const { code, out } = await covolve(here.path, 'sandbox', 'p.py', 'in.png', '--out', 'made', '--json');
    expect(code).toBe(0);
    const { status, images } = JSON.parse(out) as { status: string; images: Array<{ hash: string }> };
    expect(status).toBe('ok');
    expect(images).toHaveLength(4);
    expect(images[0]?.hash).toBe(imageRef({ width, height: width, rgb }).hash);
    for (const [i, { hash }] of images.entries()) {
      expect(imageRef(await decodeImage(readFileSync(file(`made/${i}.png`)))).hash).toBe(hash);
    }
  });

  it('says in one document why a program is not valid', async () => {
    writeFileSync(file('q.py'), PROGRAM.replace('img.rotate(angle)', 'nothing'));
    const { code, out } = await covolve(here.path, 'sandbox', 'q.py', 'in.png', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ status: 'exception', line: 2, images: [] });
  });
});
