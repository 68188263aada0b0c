import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeText, html, shortened } from '../../src/report/html.js';
import { count, counted, duration, fixed, percent, points, short } from '../../src/report/numbers.js';
import { parsePage } from './markup.js';

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '&',
        '`',
        '</style>',
        '<script>',
        '\u0000',
        '\ud800',
        '\u202e',
        ' ',
        'on=',
      ),
    )
    .map((parts) => parts.join('')),
);

describe('html', () => {
  it('lets no text become markup, in an element or in an attribute', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const page = html`<p title="${text}">${text}</p>`.text;
        const { tags, problems } = parsePage(page);
        expect(problems).toEqual([]);
        expect(tags.map(({ name }) => name)).toEqual(['p', 'p']);
        expect([...(tags[0]?.attributes.keys() ?? [])]).toEqual(['title']);
      }),
    );
  });

  it('keeps what a browser can show as it is', () => {
    const decode = (text: string): string =>
      text.replace(
        /&(amp|lt|gt|quot|#39);/g,
        (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '',
      );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decode(escapeText(text))).toBe(text);
      }),
    );
    expect(escapeText('a\0b\ud800c\u202ed\n')).toBe('a\ufffdb\ufffdc\ufffdd\n');
  });

  it('joins lists, keeps markup, and leaves nothing out', () => {
    expect(html`${[html`<b>1</b>`, '<', 2, null, false, undefined]}`.text).toBe('<b>1</b>&lt;2');
    expect(html`${0}`.text).toBe('0');
  });

  it('cuts long texts at whole characters', () => {
    expect(shortened('abc', 3)).toBe('abc');
    expect(shortened('\u{1f600}\u{1f600}\u{1f600}', 2)).toBe('\u{1f600}\u{1f600}… (1 more characters)');
  });
});

describe('numbers', () => {
  it('writes units, signs and what is not finite', () => {
    const plain = (text: string): string => text.replaceAll('\u00a0', ' ').replaceAll('\u2212', '-');
    expect(plain(percent(0.4712))).toBe('47.1 %');
    expect([0.082, -0.004, 0, 0.0001, -0.0001].map((d) => plain(points(d)))).toEqual([
      '+8.2',
      '-0.4',
      '0.0',
      '0.0',
      '0.0',
    ]);
    expect([NaN, Infinity, -Infinity].map((v) => plain(fixed(v, 1)))).toEqual([
      'not a number',
      'infinite',
      '-infinite',
    ]);
    expect([0, 999, 1000, 1234567].map(count)).toEqual(['0', '999', '1,000', '1,234,567']);
    expect([counted(1, 'edit'), counted(2, 'edit')].map(plain)).toEqual(['1 edit', '2 edits']);
    expect([8_000, 623_000, 4_320_000].map((ms) => plain(duration(ms)))).toEqual([
      '8 s',
      '10 min 23 s',
      '1 h 12 min',
    ]);
    expect([0.00012, 0.5, 3.14159, 42.42, 1234].map((v) => plain(short(v)))).toEqual([
      '1.2e-4',
      '0.500',
      '3.14',
      '42.4',
      '1234',
    ]);
  });
});
