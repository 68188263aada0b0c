import type { Image } from './image.js';

export type PromptPart =
  { readonly type: 'text'; readonly text: string } | { readonly type: 'image'; readonly image: Image };

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: readonly PromptPart[];
}

/** Anything a role is asked: messages and images, no answer. */
export interface Prompt {
  readonly messages: readonly Message[];
}

/** A prompt of one user message: the images first, then the text. */
export function userPrompt(text: string, images: readonly Image[] = []): Prompt {
  return {
    messages: [
      {
        role: 'user',
        content: [...images.map((image) => ({ type: 'image', image }) as const), { type: 'text', text }],
      },
    ],
  };
}

/** All text of a prompt, messages and parts joined by newlines. */
export function promptText(prompt: Prompt): string {
  return prompt.messages
    .flatMap((message) => message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('\n');
}

/** All images of a prompt in order. */
export function promptImages(prompt: Prompt): Image[] {
  return prompt.messages.flatMap((message) =>
    message.content.flatMap((part) => (part.type === 'image' ? [part.image] : [])),
  );
}
