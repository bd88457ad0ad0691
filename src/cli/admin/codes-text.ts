import type { CodeParameters } from '../../contract/hardware.ts'

/** Such as "6 digits, 30 s, SHA1". */
export const codesText = ({ algorithm, digits, period }: CodeParameters): string =>
  `${digits} digits, ${period} s, ${algorithm}`
