import { idShape } from '../contract/id-shape.ts'

/** The longest search text, UTF-16 units. */
export const maxSearch = 128

/** The shapes of what queries of lists contain. Apart from their schemas: the console checks its own addresses by them. */
export const queryShapes = {
  id: idShape,
  q: new RegExp(`^.{0,${maxSearch}}$`, 's'),
  /** The position of the first row of a page, from 1. */
  from: /^[1-9]\d{0,8}$/,
  /** A time, or a place in the audit trail. */
  digits: /^\d{1,15}$/,
  /** An event such as `session.denied`; several are separated by commas. */
  events: /^[a-z_]{1,40}\.[a-z_]{1,40}(,[a-z_]{1,40}\.[a-z_]{1,40}){0,149}$/,
  /** An id, or a name at the command line. */
  actor: /^\P{Cc}{1,128}$/u,
  reason: /^[a-z_]{1,40}$/,
  factor: /^[a-z]{1,20}$/,
} as const
