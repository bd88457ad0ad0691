import type { CodeParameters } from '../../contract/hardware.ts'

/** Such as "6 digits, 30 s, SHA1", or "6 digits, HOTP from 5, SHA1": the counter that is next. */
export const codesText = ({ algorithm, digits, period, counter }: Shown): string =>
  `${digits} digits, ${counter === undefined ? `${period} s` : `HOTP from ${counter}`}, ${algorithm}`

interface Shown extends Pick<CodeParameters, 'algorithm' | 'digits' | 'counter'> {
  readonly period?: number | undefined
}
