/** Shape of a micro model. Lengths are in tokens; all of them are fixed, since every new shape costs a compilation. */
export interface MicroConfig {
  /** Width of the residual stream, D; a multiple of 4 * heads. */
  readonly width: number;
  readonly heads: number;
  /** Decoder layers. */
  readonly layers: number;
  /** Hidden width of a feed-forward block as a multiple of `width`. */
  readonly expand: number;
  /** Longest prompt, P; a multiple of 4. */
  readonly promptLength: number;
  /** Longest completion, L, the end token included; a multiple of 4. */
  readonly completionLength: number;
  /** The picture side; null for a role that only reads text. */
  readonly vision: VisionConfig | null;
  /** Every token besides the special ones, in id order. */
  readonly vocabulary: readonly string[];
}

export interface VisionConfig {
  /** Pixels of the one picture a prompt holds. */
  readonly imageWidth: number;
  readonly imageHeight: number;
  /** Patch grid step in pixels; divides both sides. */
  readonly stride: number;
  /** Side of the window each patch sees, at least `stride`; windows overlap and are zero outside the picture. */
  readonly window: number;
  readonly layers: number;
  /** Outputs of the auxiliary head that labels patches while the encoder is pre-trained. */
  readonly patchLabels: number;
}

/** AdamW and gradient clipping. */
export interface OptimizerConfig {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** Decoupled weight decay per step, times the learning rate; matrices only. */
  readonly weightDecay: number;
  /** Largest gradient norm; longer gradients are scaled down to it. */
  readonly clipNorm: number;
}

export const DEFAULT_OPTIMIZER: OptimizerConfig = {
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0,
  clipNorm: 1,
};

/** Picture tokens, C_v: the patches, rounded up to a multiple of 4 (rows without pixels act as registers). */
export function visionTokens(vision: VisionConfig): number {
  const patches = (vision.imageWidth / vision.stride) * (vision.imageHeight / vision.stride);
  return Math.ceil(patches / 4) * 4;
}

/** Numbers a patch row holds: window * window * 3. */
export function patchSize(vision: VisionConfig): number {
  return vision.window * vision.window * 3;
}
