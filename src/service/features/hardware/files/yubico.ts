import { plainName } from './columns.ts'
import type { CsvRecord } from './csv.ts'
import { FileProblem } from './file-problem.ts'

export const yubicoReason =
  'Yubico OTP is not supported: set the YubiKey up for OATH-HOTP, or let its user register it as a passkey'

/** Such as `yubikey`, `Yubico OTP` and `yubikey-aes`. */
export const isYubico = (name: string): boolean => /^yubi(?:key|co)/i.test(name)

/**
 * Refuses the files that tools write when they program YubiKeys. Their keys are for Yubico OTP, and some look like seeds.
 * @throws {FileProblem} by name.
 */
export function refuseYubico({ fields }: CsvRecord): void {
  const [first = ''] = fields
  const isLog = first.toUpperCase() === 'LOGGING START' || isYubico(first) || /^#\s*ykksm/i.test(first)
  const hasNames = fields.some((field) => names.has(plainName(field)))
  const isRow = fields.some((field) => isPublicId(field)) && fields.some((field) => /^[0-9a-f]{32}$/i.test(field))
  if (!isLog && !hasNames && !isRow) return
  throw new FileProblem(
    'The file is about YubiKeys with Yubico OTP, which is not supported. For OATH-HOTP, save the columns serial, seed, type (HOTP), digits and counter as CSV.',
  )
}

/** What a YubiKey has besides its key, in headers of such files. */
const names = new Set(['publicid', 'privateid', 'publicidentity', 'privateidentity', 'internaluid', 'aeskey'])

/** The letters that have one place on all keyboards ("modhex"). Those that are hexadecimal, too, do not tell. */
const isPublicId = (field: string): boolean => /^[cbdefghijklnrtuv]{12}$/.test(field) && !/^[0-9a-f]*$/.test(field)
