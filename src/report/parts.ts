import { html, type Content, type Markup } from './html.js';

/** A column of a table: its heading, and whether it holds numbers. */
export interface Column {
  readonly name: string;
  readonly numeric?: boolean;
}

/** A table that scrolls sideways by itself where the page is narrow; the first cell of a row is its heading. */
export function table(
  label: string,
  columns: readonly Column[],
  rows: ReadonlyArray<readonly Content[]>,
): Markup {
  const kind = (i: number): Content => (columns[i]?.numeric ? html` class="number"` : null);
  return html`<div class="scroll" role="group" tabindex="0" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${columns.map((column, i) => html`<th scope="col" ${kind(i)}>${column.name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, i) => (i === 0 ? html`<th scope="row">${cell}</th>` : html`<td${kind(i)}>${cell}</td>`))}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Rows with headings of their own between them. */
export function groupedTable(
  label: string,
  columns: readonly Column[],
  groups: ReadonlyArray<{ readonly name: string; readonly rows: ReadonlyArray<readonly Content[]> }>,
): Markup {
  const kind = (i: number): Content => (columns[i]?.numeric ? html` class="number"` : null);
  return html`<div class="scroll" role="group" tabindex="0" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${columns.map((column, i) => html`<th scope="col" ${kind(i)}>${column.name}</th>`)}
        </tr>
      </thead>
      ${groups.map(
        ({ name, rows }) =>
          html`<tbody>
            <tr class="group">
              <th scope="rowgroup" colspan="${columns.length}">${name}</th>
            </tr>
            ${rows.map(
              (row) =>
                html`<tr>
                  ${row.map((cell, i) => (i === 0 ? html`<th scope="row">${cell}</th>` : html`<td${kind(i)}>${cell}</td>`))}
                </tr> `,
            )}
          </tbody> `,
      )}
    </table>
  </div>`;
}

/** A chart with its title, what its number means in one sentence, and the numbers themselves to unfold. */
export function panel(options: {
  readonly title: string;
  readonly meaning: Content;
  readonly legend?: Markup | null;
  readonly chart: Content;
  readonly numbers?: Markup | null;
  /** How much of a row it takes: one chart's place unless told, the whole row, or what one chart leaves. */
  readonly width?: 'wide' | 'rest';
}): Markup {
  const { title, meaning, legend, chart, numbers, width } = options;
  return html`<figure class="panel${width && ` ${width}`}">
    <figcaption>
      <h3>${title}</h3>
      <p>${meaning}</p>
    </figcaption>
    ${legend}${chart}
    ${
      numbers &&
      html`<details class="numbers">
        <summary>Numbers <span class="hidden">of: ${title}</span></summary>
        ${numbers}
      </details>`
    }
  </figure>`;
}

/** A part of the page that the navigation leads to. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Content;
}
