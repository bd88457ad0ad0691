import * as fc from 'fast-check'

/** Any character of Unicode, as the unit `binary` of fast-check, which makes a table of all of them: 0.7 s in each worker. */
const character = fc
  .integer({ min: 0, max: 0x10_ffff })
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint))

/** Text with any characters. */
export const anyText = (limits: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  fc.string({ unit: character, ...limits })
