import type { Image } from '../../core/image.js';
import type { RenderSize, SceneRenderer } from '../renderer.js';
import { type Camera, makeCamera } from './camera.js';
import { DISPLAY_STEPS, displayTable } from './numbers.js';
import { makeShader, shadeGroundRay, shadeObjectRay, type Shader } from './shade.js';
import { makeSolid } from './solids.js';
import { allNearby, gatherNearby, makeStage, type Nearby } from './stage.js';
import type { RenderOptions, Rendering, RenderScene } from './types.js';
import { castVisibility, FACE_BITS, type Visibility } from './visibility.js';

const LARGEST_SIDE = 2048;
const MOST_OBJECTS = 1000;

/**
 * Draws a scene and says where everything lies in it. A pure function: equal arguments give equal bytes on every
 * machine (only IEEE-exact operations reach a pixel). Throws a RangeError on a size, camera or object that can't be
 * drawn; what the picture shows (hidden or clipped objects) is never an error.
 */
export function renderScene(scene: RenderScene, options: RenderOptions): Rendering {
  const { width, height, supersample = 3 } = options;
  checkSize(width, height, supersample, scene.objects.length);
  const camera = makeCamera(scene.camera, options);
  const solids = scene.objects.map(makeSolid);
  const visibility = castVisibility(solids, camera, width, height, supersample);
  const shader = makeShader(makeStage(solids, camera));
  const linear = shadeAll(shader, camera, visibility, width, height, supersample);
  return { image: develop(linear, width, height), geometry: visibility.geometry };
}

/** The ray caster behind the interface that every back end has. */
export function rayCaster(options: { readonly supersample?: number } = {}): SceneRenderer {
  return {
    name: 'raycast',
    render: (scene: RenderScene, size: RenderSize) => renderScene(scene, { ...options, ...size }),
  };
}

function checkSize(width: number, height: number, supersample: number, objects: number): void {
  const side = (n: number) => Number.isInteger(n) && n >= 1 && n <= LARGEST_SIDE;
  if (!side(width) || !side(height)) {
    throw new RangeError(`size ${width} x ${height}: sides must be whole numbers from 1 to ${LARGEST_SIDE}`);
  }
  if (!Number.isInteger(supersample) || supersample < 1 || supersample > 8) {
    throw new RangeError(`supersample ${supersample}: must be a whole number from 1 to 8`);
  }
  if (objects > MOST_OBJECTS)
    throw new RangeError(`${objects} objects: at most ${MOST_OBJECTS} can be drawn`);
}

/** Below this many pixels, every sub-sample of metal is shaded: small highlights would be missed otherwise. */
const SMALL_PICTURE = 8192;

/** Side of the squares of pixels that share a list of the solids that matter on their ground. */
const TILE = 8;

/** Shades every pixel. Result: linear light, [pixel][red, green, blue], not yet exposed for the display. */
function shadeAll(
  shader: Shader,
  camera: Camera,
  visibility: Visibility,
  width: number,
  height: number,
  supersample: number,
): Float64Array {
  const out = new Float64Array(width * height * 3);
  const { blocks_P: blocks } = visibility;
  const small = width * height <= SMALL_PICTURE;
  const nearby = allNearby(shader.stage.solids.length);
  for (let top = 0; top < height; top += TILE) {
    const bottom = Math.min(height, top + TILE);
    for (let left = 0; left < width; left += TILE) {
      const right = Math.min(width, left + TILE);
      const list = gatherTile(shader, camera, left, top, right, bottom, nearby);
      for (let py = top; py < bottom; py++) {
        const v = (camera.cy - (py + 0.5)) / camera.focal;
        const bx = camera.fx + v * camera.ux;
        const by = camera.fy + v * camera.uy;
        const bz = camera.fz + v * camera.uz;
        for (let px = left; px < right; px++) {
          const pixel = py * width + px;
          if (blocks[pixel] === 0) {
            const h = (px + 0.5 - camera.cx) / camera.focal;
            shadeGroundRay(shader, list, bx + h * camera.rx, by + h * camera.ry, bz);
            out[3 * pixel] = shader.red;
            out[3 * pixel + 1] = shader.green;
            out[3 * pixel + 2] = shader.blue;
          } else {
            shadePixel(shader, list, camera, visibility, px, py, pixel, supersample, small, out);
          }
        }
      }
    }
  }
  if (!small && supersample > 1) refine(shader, camera, visibility, width, height, supersample, out);
  return out;
}

/** The solids that matter on the ground of a tile; all of them for a tile that reaches near or over the horizon. */
function gatherTile(
  shader: Shader,
  camera: Camera,
  left: number,
  top: number,
  right: number,
  bottom: number,
  nearby: Nearby,
): Nearby {
  const { stage } = shader;
  const xs = [0, 0, 0, 0];
  const ys = [0, 0, 0, 0];
  for (let corner = 0; corner < 4; corner++) {
    const h = ((corner & 1 ? right : left) - camera.cx) / camera.focal;
    const v = (camera.cy - (corner & 2 ? bottom : top)) / camera.focal;
    const dz = camera.fz + v * camera.uz;
    if (dz > -0.01) return stage.all;
    const t = -camera.ez / dz;
    xs[corner] = camera.ex + t * (camera.fx + v * camera.ux + h * camera.rx);
    ys[corner] = camera.ey + t * (camera.fy + v * camera.uy + h * camera.ry);
  }
  // The tile's ground is the convex hull of its corners.
  const x = xs.reduce((a, b) => a + b) / 4;
  const y = ys.reduce((a, b) => a + b) / 4;
  const far2 = Math.max(
    ...xs.map((cx, i) => (cx - x) * (cx - x) + ((ys[i] as number) - y) * ((ys[i] as number) - y)),
  );
  gatherNearby(stage, x, y, Math.sqrt(far2), nearby);
  return nearby;
}

/** Difference of linear light between neighbours from which metal is shaded again at every sub-sample. */
const CONTRAST = 0.05;

/** Shades metal again, at every sub-sample, where it differs much from a neighbouring pixel: highlights and rims. */
function refine(
  shader: Shader,
  camera: Camera,
  visibility: Visibility,
  width: number,
  height: number,
  supersample: number,
  out: Float64Array,
): void {
  const { blocks_P: blocks, codes_B_S: codes } = visibility;
  const samples = supersample * supersample;
  const rough: number[] = [];
  for (let pixel = 0; pixel < width * height; pixel++) {
    const block = blocks[pixel] as number;
    if (block === 0 || !seesMetal(shader, codes, block * samples, samples)) continue;
    const px = pixel % width;
    if (
      (px > 0 && differs(out, pixel, pixel - 1)) ||
      (px + 1 < width && differs(out, pixel, pixel + 1)) ||
      (pixel >= width && differs(out, pixel, pixel - width)) ||
      (pixel + width < width * height && differs(out, pixel, pixel + width))
    ) {
      rough.push(pixel);
    }
  }
  for (const pixel of rough) {
    const px = pixel % width;
    shadePixel(
      shader,
      shader.stage.all,
      camera,
      visibility,
      px,
      (pixel - px) / width,
      pixel,
      supersample,
      true,
      out,
    );
  }
}

function seesMetal(shader: Shader, codes: Uint16Array, start: number, samples: number): boolean {
  for (let k = 0; k < samples; k++) {
    const code = codes[start + k] as number;
    if (code !== 0 && isMetal(shader, code)) return true;
  }
  return false;
}

function differs(out: Float64Array, a: number, b: number): boolean {
  for (let c = 0; c < 3; c++) {
    const d = (out[3 * a + c] as number) - (out[3 * b + c] as number);
    if (d > CONTRAST || d < -CONTRAST) return true;
  }
  return false;
}

/**
 * Shades a pixel that sees objects: each surface in it once, at the middle of the sub-samples that see it (a convex
 * surface is met there too), or at every sub-sample.
 */
function shadePixel(
  shader: Shader,
  list: Nearby,
  camera: Camera,
  visibility: Visibility,
  px: number,
  py: number,
  pixel: number,
  supersample: number,
  every: boolean,
  out: Float64Array,
): void {
  const codes = visibility.codes_B_S;
  const samples = supersample * supersample;
  const start = (visibility.blocks_P[pixel] as number) * samples;
  let red = 0;
  let green = 0;
  let blue = 0;
  for (let first = 0; first < samples; first++) {
    const code = codes[start + first] as number;
    const single = every && code !== 0 && isMetal(shader, code);
    let count = 0;
    let sumX = 0;
    let sumY = 0;
    let seen = false;
    for (let k = single ? first : 0; k < samples; k++) {
      if (codes[start + k] !== code) continue;
      if (k < first) {
        seen = true;
        break;
      }
      count++;
      sumX += k % supersample;
      sumY += Math.floor(k / supersample);
      if (single) break;
    }
    if (seen) continue;
    const h = (px + (sumX / count + 0.5) / supersample - camera.cx) / camera.focal;
    const v = (camera.cy - (py + (sumY / count + 0.5) / supersample)) / camera.focal;
    const dx = camera.fx + v * camera.ux + h * camera.rx;
    const dy = camera.fy + v * camera.uy + h * camera.ry;
    const dz = camera.fz + v * camera.uz;
    if (code === 0) shadeGroundRay(shader, list, dx, dy, dz);
    else shadeObjectRay(shader, (code >> FACE_BITS) - 1, dx, dy, dz);
    // Limited before they are averaged, so that a highlight brighter than white doesn't eat its edges.
    red += count * shoulder(shader.red);
    green += count * shoulder(shader.green);
    blue += count * shoulder(shader.blue);
  }
  out[3 * pixel] = red / samples;
  out[3 * pixel + 1] = green / samples;
  out[3 * pixel + 2] = blue / samples;
}

function isMetal(shader: Shader, code: number): boolean {
  return shader.stage.solids[(code >> FACE_BITS) - 1]?.metal === true;
}

/** Linear up to 0.7, then bends so that it never reaches 1. */
function shoulder(x: number): number {
  if (x <= 0.7) return x;
  const u = (x - 0.7) / 0.3;
  return 0.7 + (0.3 * u) / (1 + u);
}

/** Light to 8-bit sRGB with a gentle darkening towards the corners. */
function develop(linear: Float64Array, width: number, height: number): Image {
  const table = displayTable();
  const rgb = new Uint8Array(width * height * 3);
  const scale = 4 / (width * width + height * height);
  let at = 0;
  for (let py = 0; py < height; py++) {
    const y = py + 0.5 - height / 2;
    for (let px = 0; px < width; px++) {
      const x = px + 0.5 - width / 2;
      const gain = (1 - 0.2 * scale * (x * x + y * y)) * DISPLAY_STEPS;
      for (let c = 0; c < 3; c++, at++) {
        const value = (linear[at] as number) * gain + 0.5;
        rgb[at] = table[value > DISPLAY_STEPS ? DISPLAY_STEPS : value | 0] as number;
      }
    }
  }
  return { width, height, rgb };
}
