import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer';

/** What a column holds: a scalar, a list of one type, or a record of named ones. Any of them may be null. */
export type ColumnType =
  | { readonly kind: 'string' | 'bytes' | 'int' | 'double' }
  | { readonly kind: 'list'; readonly of: ColumnType }
  | { readonly kind: 'struct'; readonly fields: Readonly<Record<string, ColumnType>> };

export const STRING = { kind: 'string' } as const;
export const BYTES = { kind: 'bytes' } as const;
export const INT = { kind: 'int' } as const;
export const DOUBLE = { kind: 'double' } as const;

export function list(of: ColumnType): ColumnType {
  return { kind: 'list', of };
}

export function struct(fields: Readonly<Record<string, ColumnType>>): ColumnType {
  return { kind: 'struct', fields };
}

interface Element {
  readonly name: string;
  readonly type?: 'BYTE_ARRAY' | 'INT64' | 'DOUBLE';
  readonly converted_type?: 'UTF8' | 'LIST';
  readonly repetition_type?: 'REQUIRED' | 'OPTIONAL' | 'REPEATED';
  readonly num_children?: number;
}

/**
 * A Parquet file of rows, Snappy-compressed; the same rows give the same bytes. Lists have the three levels that Arrow reads as
 * lists. `features` is what Hugging Face `datasets` keeps beside the schema (which columns are pictures), if anything.
 */
export function parquetOf(
  columns: Readonly<Record<string, ColumnType>>,
  rows: readonly Readonly<Record<string, unknown>>[],
  features?: Readonly<Record<string, unknown>>,
): Uint8Array {
  const names = Object.keys(columns);
  const schema: Element[] = [
    { name: 'root', num_children: names.length },
    ...names.flatMap((name) => elementsOf(name, columns[name] as ColumnType)),
  ];
  const columnData = names.map((name) => {
    const type = columns[name] as ColumnType;
    return { name, data: rows.map((row) => stored(type, row[name])) };
  });
  const buffer = parquetWriteBuffer({
    columnData: columnData satisfies ColumnSource[],
    schema,
    createdBy: 'covolve',
    ...(features
      ? { kvMetadata: [{ key: 'huggingface', value: JSON.stringify({ info: { features } }) }] }
      : {}),
  });
  return new Uint8Array(buffer);
}

function elementsOf(name: string, type: ColumnType): Element[] {
  // What Arrow writes: Hugging Face takes a column for pictures only when its type is the one that Arrow would have given it.
  const repetition_type = 'OPTIONAL';
  switch (type.kind) {
    case 'string':
      return [{ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type }];
    case 'bytes':
      return [{ name, type: 'BYTE_ARRAY', repetition_type }];
    case 'int':
      return [{ name, type: 'INT64', repetition_type }];
    case 'double':
      return [{ name, type: 'DOUBLE', repetition_type }];
    case 'list':
      return [
        { name, converted_type: 'LIST', num_children: 1, repetition_type },
        { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
        ...elementsOf('element', type.of),
      ];
    case 'struct': {
      const fields = Object.entries(type.fields);
      const children = fields.flatMap(([field, of]) => elementsOf(field, of));
      return [{ name, num_children: fields.length, repetition_type }, ...children];
    }
    default:
      return type satisfies never;
  }
}

/** Whole numbers as the writer wants them. */
function stored(type: ColumnType, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (type.kind === 'int') return BigInt(value as number);
  if (type.kind === 'list') return (value as readonly unknown[]).map((item) => stored(type.of, item));
  if (type.kind !== 'struct') return value;
  const record = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(type.fields).map(([field, of]) => [field, stored(of, record[field])]),
  );
}
