import type { ClevrObject, ClevrScene, Relation } from './scene.js';
import { directions, RELATIONS } from './scene.js';

/** `relationships[r][i]` lists, ascending, the objects that stand in relation r to object i. */
export type Relationships = Readonly<Record<Relation, readonly (readonly number[])[]>>;

/** What questions ask of an object: everything but where it stands. */
export type ObjectAttributes = Pick<ClevrObject, 'shape' | 'color' | 'material' | 'size'>;

/** What a program runs on. Object order is the scene's; all four relations hold one row an object. */
export interface SceneView {
  readonly objects: readonly ObjectAttributes[];
  readonly relationships: Relationships;
}

/** How far, in world units along a direction, an object must stand from another to be in relation to it (official). */
export const RELATION_THRESHOLD = 0.2;

/**
 * How far object `other` stands beyond the threshold of `relation` to object `of`, world units: positive means the
 * relation holds. Throws (a bug) on an index outside the scene.
 */
export function relationMargin(scene: ClevrScene, relation: Relation, of: number, other: number): number {
  const a = scene.objects[of];
  const b = scene.objects[other];
  if (!a || !b)
    throw new Error(`relationMargin: no object ${a ? other : of} in a scene of ${scene.objects.length}`);
  const [dx, dy] = directions(scene.camera)[relation];
  return (b.x - a.x) * dx + (b.y - a.y) * dy - RELATION_THRESHOLD;
}

/** All four relations between all objects as seen from the scene's camera, by the official rule (dot product > 0.2). */
export function relationships(scene: ClevrScene): Relationships {
  const axes = directions(scene.camera);
  const { objects } = scene;
  const rows = (relation: Relation): number[][] => {
    const [dx, dy] = axes[relation];
    return objects.map((of) => {
      const related: number[] = []; // never the object itself: its product with any direction is 0
      for (const [j, other] of objects.entries()) {
        if ((other.x - of.x) * dx + (other.y - of.y) * dy > RELATION_THRESHOLD) related.push(j);
      }
      return related;
    });
  };
  const [left, right, front, behind] = RELATIONS;
  return { left: rows(left), right: rows(right), front: rows(front), behind: rows(behind) };
}

const views = new WeakMap<ClevrScene, SceneView>();

/** The view of a scene. Scenes are immutable, so it is computed once for each scene object and kept as long as that. */
export function sceneView(scene: ClevrScene): SceneView {
  let view = views.get(scene);
  if (!view) {
    view = { objects: scene.objects, relationships: relationships(scene) };
    views.set(scene, view);
  }
  return view;
}
