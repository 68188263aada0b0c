import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const FAMILIES = [
  ['serif', 'DejaVu Serif'],
  ['monospace', 'DejaVu Sans Mono'],
  ['sans-serif', 'DejaVu Sans'],
] as const;

/** Names that stand for one of the three families in drawings written elsewhere. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['Times', 'DejaVu Serif'],
  ['Times New Roman', 'DejaVu Serif'],
  ['Georgia', 'DejaVu Serif'],
  ['Courier', 'DejaVu Sans Mono'],
  ['Courier New', 'DejaVu Sans Mono'],
  ['Consolas', 'DejaVu Sans Mono'],
  ['Menlo', 'DejaVu Sans Mono'],
]);

/** A font configuration on disk that knows the bundled fonts and no others. Owned by the caller: `remove` deletes it. */
export interface FontConfiguration {
  readonly file: string;
  remove(): void;
}

/**
 * Writes a configuration under which every family name leads to one of the bundled DejaVu fonts, so that text is drawn alike
 * on every machine, whatever fonts it has.
 */
export function bundledFonts(): FontConfiguration {
  const fonts = path.join(
    path.dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')),
    'ttf',
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'covolve-fonts-'));
  const file = path.join(folder, 'fonts.conf');
  const alias = ([family, bundled]: readonly [string, string]): string =>
    `<match target="pattern"><test name="family" compare="eq"><string>${family}</string></test>` +
    `<edit name="family" mode="assign" binding="strong"><string>${bundled}</string></edit></match>`;
  const rules = [...FAMILIES, ...KNOWN].map(alias).join('\n');
  writeFileSync(
    file,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${escapeXml(fonts)}</dir>
<cachedir>${escapeXml(path.join(folder, 'cache'))}</cachedir>
${rules}
<match target="pattern"><edit name="family" mode="append_last"><string>DejaVu Sans</string></edit></match>
</fontconfig>
`,
  );
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char] ?? char);
}
