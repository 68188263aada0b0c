import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eveDiversity, mmZeroDiversity, similarityShares, tokensOf } from '../../src/rewards/diversity.js';
import { challengerReward, eveSolverReward } from '../../src/rewards/eve.js';

describe("EVE's rewards", () => {
  it('are the weighted sum of their terms', () => {
    const reward = challengerReward({ format: true, valid: true, difficulty: 0.5, diversity: -0.5 });
    expect(reward.terms).toEqual({ format: 0.2, valid: 0.4, difficulty: 0.2, diversity: -0.15 });
    expect(reward.total).toBeCloseTo(0.65, 12);
    expect(challengerReward({ format: false, valid: false, difficulty: 0, diversity: -1 }).total).toBeCloseTo(
      -0.3,
    );
    expect(challengerReward({ format: true, valid: true, difficulty: 1, diversity: 0 }).total).toBeCloseTo(1);
  });

  it('refuse what can not be', () => {
    expect(() => challengerReward({ format: false, valid: true, difficulty: 0, diversity: 0 })).toThrow();
    expect(() => challengerReward({ format: true, valid: true, difficulty: NaN, diversity: 0 })).toThrow();
    expect(() => challengerReward({ format: true, valid: true, difficulty: 0, diversity: 0.1 })).toThrow();
  });

  it('give the solver nothing for an answer that could not be read', () => {
    expect(eveSolverReward(true, true).total).toBeCloseTo(1);
    expect(eveSolverReward(true, false).total).toBeCloseTo(0.2);
    expect(eveSolverReward(false, true).total).toBe(0);
  });
});

const ROTATE = 'def edit_image(img, angle): return img.rotate(angle, expand=True)';
const CROP = 'def edit_image(img, box): w, h = img.size; return img.crop((0, 0, w // box, h // box))';
const BLUR =
  'from PIL import ImageFilter\ndef edit_image(img, radius): return img.filter(ImageFilter.GaussianBlur(radius))';

describe('diversity', () => {
  it('is 0 for the smallest cluster and -1 for the largest', () => {
    expect([...eveDiversity([ROTATE, ROTATE, ROTATE, CROP])]).toEqual([-1, -1, -1, 0]);
    expect([...eveDiversity([ROTATE, ROTATE, CROP, BLUR])]).toEqual([-1, -1, 0, 0]);
  });

  it('is 0 for all when all clusters are of one size', () => {
    expect([...eveDiversity([ROTATE, CROP, BLUR])]).toEqual([0, 0, 0]);
    expect([...eveDiversity([ROTATE, ROTATE])]).toEqual([0, 0]);
  });

  it('counts shares', () => {
    const shares = similarityShares([ROTATE, CROP, ROTATE, BLUR].map(tokensOf), 0.5);
    expect([...shares]).toEqual([0.5, 0.25, 0.5, 0.25]);
    expect([...similarityShares([], 0.5)]).toEqual([]);
  });

  it("costs what MM-Zero's formula says", () => {
    const different = [ROTATE, CROP, BLUR, 'one two three four five six'];
    const batch = different.map((caption, i) => ({
      caption: i === 3 ? ROTATE : caption,
      easyQuestion: different[i] ?? '',
      hardQuestion: different[i] ?? '',
    }));
    // Two captions of four are alike: a share of 2/4 against 1/4. 0.5 * 4 * 0.45 * 0.25 = 0.225.
    const diversity = [...mmZeroDiversity(batch)];
    expect(diversity[0]).toBeCloseTo(-0.225, 12);
    expect(diversity[3]).toBeCloseTo(-0.225, 12);
    expect(diversity.slice(1, 3)).toEqual([0, 0]);
  });

  it('lies in its bounds, whatever is said', () => {
    const text = fc.oneof(fc.constantFrom(ROTATE, CROP, BLUR, ''), fc.string());
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 10 }), (texts) => {
        for (const value of eveDiversity(texts)) expect(value >= -1 && value <= 0).toBe(true);
        const proposals = texts.map((caption) => ({ caption, easyQuestion: caption, hardQuestion: 'same' }));
        for (const value of mmZeroDiversity(proposals)) expect(value >= -0.5 && value <= 0).toBe(true);
      }),
    );
  });
});
