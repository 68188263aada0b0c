import type { ClevrQuestion } from './program.js';
import type { ClevrScene, Color, Material, Shape, Size } from './scene.js';

/** The four edit classes of the paper (VICO, "structured environment editing"), one change each. */
export type ClevrEdit =
  | { readonly edit: 'change_attribute'; readonly object: number; readonly color: Color }
  | { readonly edit: 'change_attribute'; readonly object: number; readonly size: Size }
  | { readonly edit: 'change_attribute'; readonly object: number; readonly material: Material }
  | { readonly edit: 'change_category'; readonly object: number; readonly shape: Shape }
  | {
      readonly edit: 'add_object';
      readonly shape: Shape;
      readonly color: Color;
      readonly material: Material;
      readonly size: Size;
      readonly x: number;
      readonly y: number;
      /** Degrees; 0 when absent. */
      readonly rotation?: number;
      /** Position in the object list; the end when absent. */
      readonly index?: number;
    }
  | { readonly edit: 'remove_object'; readonly object: number }
  | { readonly edit: 'move_object'; readonly object: number; readonly x: number; readonly y: number };

/** What a generator does to a CLEVR task: edit the scene, or (text-only arm) ask another question about it. */
export type ClevrAction =
  | { readonly kind: 'edits'; readonly edits: readonly ClevrEdit[] }
  | { readonly kind: 'ask'; readonly question: ClevrQuestion };

/** Where a CLEVR task stands. */
export type ClevrState = {
  readonly scene: ClevrScene;
  readonly question: ClevrQuestion;
};
