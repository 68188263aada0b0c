import type { Realised } from './environment.js';
import type { Image } from './image.js';
import type { Json } from './json.js';
import type { RunJournal } from './ports.js';

/** Tasks of a run with their pictures, in the order asked for. Pictures of one hash are one object. */
export async function restoreTasks<State extends Json>(
  journal: Pick<RunJournal, 'findTasks' | 'findImage'>,
  ids: readonly string[],
): Promise<Realised<State>[]> {
  const pictures = new Map<string, Image>();
  const find = async (hash: string, taskId: string): Promise<Image> => {
    const image = pictures.get(hash) ?? (await journal.findImage(hash));
    if (!image) throw new Error(`image ${hash} of task ${taskId} is not in the run`);
    pictures.set(hash, image);
    return image;
  };
  const restored: Realised<State>[] = [];
  for (const { task, lineage } of await journal.findTasks(ids)) {
    const images: Image[] = [];
    for (const { hash } of task.images) images.push(await find(hash, task.id));
    // A lineage is stored as the environment gave it.
    restored.push({ task, images, lineage: lineage as Realised<State>['lineage'] });
  }
  return restored;
}
