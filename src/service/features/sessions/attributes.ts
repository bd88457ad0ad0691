import { attributeLimits } from '../../../contract/sessions.ts'
import type { Attribute } from '../../../contract/sessions.ts'
import { stripText, truncateText } from '../../../contract/text.ts'

/** Attributes that fit on a device, and how much was shortened. */
export interface FittedAttributes {
  readonly attributes: readonly Attribute[]
  /** The number of attributes that were truncated. */
  readonly shortened: number
  /** The number of attributes that were omitted. */
  readonly leftOut: number
}

/** Truncates long attributes, and ends a list that is too long with the number of omitted ones. */
export function fitAttributes(input: readonly Attribute[]): FittedAttributes {
  const { count } = attributeLimits
  const keptAttributes = input.length > count ? input.slice(0, count - 1) : input
  const leftOut = input.length - keptAttributes.length
  let shortened = 0
  const attributes = keptAttributes.map((attribute) => {
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
