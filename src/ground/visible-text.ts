/**
 * Characters that a reader would not see, or take for others: control and format characters, such as those that change the direction of
 * text, what fonts leave out, and spaces other than the ordinary one.
 */
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?![ \u00a0\u202f])\p{Zs}/u

/** Whether a reader sees nothing of a text. */
export const isBlank = (value: string): boolean =>
  !/(?!\p{Default_Ignorable_Code_Point}|\u2800)[\p{L}\p{N}\p{P}\p{S}]/u.test(value)

/** Number formats of French, German and other languages contain these. They look like a space, and mean one. */
const spaceOfNumbers = /[\u00a0\u202f]/gu

/** The selector of the colored form, where it follows the emoji that it belongs to. */
const emoji = /^\p{Extended_Pictographic}$/u

/**
 * How many marks in a row belong to one letter; the texts of all living scripts need no more. Taller stacks of marks would cover the lines
 * around them.
 */
const maxMarks = 4

/** Splits text from others into what can be shown as it is, and the code points in whose place their number is shown. */
export function visibleParts(value: string): readonly (string | number)[] {
  const parts: (string | number)[] = []
  let [before, marks] = ['', 0]
  for (const character of value) {
    marks = /\p{M}/u.test(character) ? marks + 1 : 0
    const isCovering = marks > maxMarks || (marks > 0 && before === '')
    const isShown = (!unseen.test(character) && !isCovering) || (character === '\ufe0f' && emoji.test(before))
    const last = parts.at(-1)
    if (!isShown) parts.push(character.codePointAt(0) ?? 0)
    else if (typeof last === 'string') parts[parts.length - 1] = last + character
    else parts.push(character)
    before = character
  }
  return parts.map((part) => (typeof part === 'string' ? part.replace(spaceOfNumbers, ' ') : part))
}

/** The name of a code point, such as `U+202E`. */
export const codePointName = (codePoint: number): string => `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`

/** The same as one text, for a terminal: `<U+202E>`. */
export const escapedText = (value: string): string =>
  visibleParts(value)
    .map((part) => (typeof part === 'string' ? part : `<${codePointName(part)}>`))
    .join('')

const alphabets = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
)

/**
 * Whether a word has letters of more than one of the alphabets whose letters look alike, such as `раypal` with Cyrillic `ра`, or a number
 * has digits beside those of ASCII: the Bengali four looks like an 8.
 */
export const mixesAlphabets = (value: string): boolean =>
  value.split(/[^\p{L}\p{M}]+/u).some((word) => alphabets.filter((alphabet) => alphabet.test(word)).length > 1) ||
  value.split(/\P{Nd}+/u).some((number) => /[0-9]/.test(number) && /[^0-9]/.test(number))
