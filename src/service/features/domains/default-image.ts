import type { NamedImage } from './image.ts'

/** The image of a domain without its own: a white shield with a keyhole on gray, 96 pixels wide. */
export const defaultImage = (): NamedImage => ({ bytes: Buffer.from(png, 'base64'), etag: '"default-1"' })

/** Two bits per pixel, so that it fits here. Change the tag when you change it. */
const png = [
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAABgAgMAAACf9p+rAAAADFBMVEUAAABrcoD///+co69KUy6GAAAABHRSTlMA////sy1AiAAAANRJREFUeNrt',
  '1jsOwyAMBmBn6BFynxyhA2bgCNwnR8hAT1nlQWWDf4moLelQDxn4FGwkhE1ERFwEHcFsy62G+wZjDW5dH9iIyd5p32u0wJk1HXUhGGyY7NxrdgijDe6T',
  'wCB+Ah6v+ENnmD2A/C0hMUcTFuZwGcCq4DnwyS+DmCEZkI/5LQgZFgO2aAafYX4buLi6DRD39VRB0NU2gNdFiYdM5xYQVW4BQaUQ4FUK+VhGuZMEL3/o',
  '81L36FHnOydswuf7OR4N4DABxw84sOARBw5F9hj1BE+ycV9pioP9AAAAAElFTkSuQmCC',
].join('')

/** An invisible pixel, for callers that show their own image instead. */
export const noImage = (): NamedImage => ({ bytes: Buffer.from(pixel, 'base64'), etag: '"none-1"' })

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQMAAAAl21bKAAAAA1BMVEUAAACnej3aAAAAAXRSTlMAQObYZgAAAApJREFUeNpjYAAAAAIAAeUn3vwAAAAASUVORK5CYII='
