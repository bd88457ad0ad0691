import { attributeLimits } from '../../contract/sessions.ts'
import type { Attribute } from '../../contract/sessions.ts'
import { stripText, truncateText } from '../../contract/text.ts'

/** Attributes as a device shows them, and what had to be shortened for it. */
export interface FittedAttributes {
  readonly attributes: readonly Attribute[]
  /** How many attributes lost a part of their text. */
  readonly shortened: number
  /** How many attributes were left out. */
  readonly leftOut: number
}

/** Shortens what is too long, and ends a list that is too long with how many attributes it leaves out. */
export function fitAttributes(given: readonly Attribute[]): FittedAttributes {
  const { count } = attributeLimits
  const kept = given.length > count ? given.slice(0, count - 1) : given
  const leftOut = given.length - kept.length
  let shortened = 0
  const attributes = kept.map((attribute) => {
    const [key, value] = [stripText(attribute.key), stripText(attribute.value)]
    const fitted = { key: truncateText(key, attributeLimits.key), value: truncateText(value, attributeLimits.value) }
    if (fitted.key !== key || fitted.value !== value) shortened += 1
    return fitted
  })
  return {
    attributes: leftOut > 0 ? [...attributes, { key: '…', value: `+${leftOut}` }] : attributes,
    shortened,
    leftOut,
  }
}
