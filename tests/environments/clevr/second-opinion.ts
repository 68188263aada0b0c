import type { ProgramNode } from '../../../src/environments/clevr/program.js';
import type { ClevrObject, ClevrScene } from '../../../src/environments/clevr/scene.js';

/** An answer derived another way: recursive over the program from its end, sets of objects, the plane in polar form. */
export function secondOpinion(scene: ClevrScene, program: readonly ProgramNode[]): string {
  const azimuth = Math.atan2(scene.camera.y, scene.camera.x);
  const towards = { front: 0, right: Math.PI / 2, behind: Math.PI, left: -Math.PI / 2 };
  const reaches = (from: ClevrObject, to: ClevrObject, relation: keyof typeof towards): boolean => {
    const distance = Math.hypot(to.x - from.x, to.y - from.y);
    const bearing = Math.atan2(to.y - from.y, to.x - from.x);
    return from !== to && distance * Math.cos(bearing - azimuth - towards[relation]) > 0.2;
  };
  const node = (i: number): ProgramNode => program[i] as ProgramNode;
  const input = (i: number, k = 0): number => node(i).inputs[k] as number;

  const set = (i: number): Set<ClevrObject> => {
    const { function: name, value } = node(i);
    const [kind, attribute] = name.split('_') as [string, keyof ClevrObject];
    const keep = (test: (o: ClevrObject) => boolean): Set<ClevrObject> => new Set(scene.objects.filter(test));
    switch (kind) {
      case 'scene':
        return keep(() => true);
      case 'filter': {
        const of = set(input(i));
        return keep((o) => of.has(o) && o[attribute] === value);
      }
      case 'relate': {
        const from = only(input(i));
        return keep((o) => reaches(from, o, value as keyof typeof towards));
      }
      case 'same': {
        const model = only(input(i));
        return keep((o) => o !== model && o[attribute] === model[attribute]);
      }
      case 'union':
        return new Set([...set(input(i, 0)), ...set(input(i, 1))]);
      case 'intersect': {
        const other = set(input(i, 1));
        return new Set([...set(input(i, 0))].filter((o) => other.has(o)));
      }
      default:
        throw new Error(`${name} is no set`);
    }
  };
  const only = (i: number): ClevrObject => {
    const found = [...set(input(i))];
    if (node(i).function !== 'unique' || found.length !== 1) throw new Error('not unique');
    return found[0] as ClevrObject;
  };
  const text = (i: number): string => {
    const { function: name } = node(i);
    if (name === 'count') return String(set(input(i)).size);
    if (name === 'exist') return set(input(i)).size > 0 ? 'yes' : 'no';
    if (name.startsWith('query_')) return String(only(input(i))[name.slice(6) as keyof ClevrObject]);
    const [a, b] = [text(input(i, 0)), text(input(i, 1))];
    if (name === 'less_than') return Number(a) < Number(b) ? 'yes' : 'no';
    if (name === 'greater_than') return Number(a) > Number(b) ? 'yes' : 'no';
    return a === b ? 'yes' : 'no';
  };
  return text(program.length - 1);
}
