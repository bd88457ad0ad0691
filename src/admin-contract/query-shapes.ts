import { idShape } from '../contract/id-shape.ts'

/** The longest search text, UTF-16 units. */
export const maxSearch = 128

/** The shapes of what queries of lists contain. Apart from their schemas: the console checks its own addresses by them. */
export const queryShapes = {
  id: idShape,
  q: new RegExp(`^.{0,${maxSearch}}$`, 's'),
  /** The position of the first row of a page, from 1. */
  from: /^[1-9]\d{0,8}$/,
} as const
