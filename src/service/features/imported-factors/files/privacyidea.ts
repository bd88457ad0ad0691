import type { CsvRecord } from '../../hardware/files/csv.ts'
import { FileProblem } from '../../hardware/files/file-problem.ts'
import type { FactorRow } from './factor-row.ts'
import type { JsonItem } from './json-items.ts'
import { membersOf } from './keycloak.ts'
import type { CodeSettings } from './read-app.ts'
import { readRow, unfinished } from './read-row.ts'
import { sources } from './sources.ts'

/** Reads a token of an export of privacyIDEA (`--format pi`, decrypted). */
export function readPrivacyIdea({ line, value }: JsonItem, settings: CodeSettings): FactorRow {
  const token = membersOf(value)
  const [info, user] = [membersOf(token.info_list), membersOf(token.user)]
  if (token.user === undefined) return { line, reason: 'the token belongs to no one; export with users' }
  if (token.active === false || token.revoked === true || token.locked === true)
    return { line, reason: 'the token is disabled' }
  if (typeof token.rollout_state === 'string' && !['', 'enrolled'].includes(token.rollout_state))
    return { line, reason: unfinished }
  const said = {
    username: user.login,
    hex: token.otpkey,
    type: token.type ?? '?',
    digits: token.otplen,
    period: info.timeStep,
    algorithm: info.hashlib,
    createdAt: info.creation_date,
  }
  return readRow(line, said, sources.privacyidea, settings)
}

/** Reads the CSV of privacyIDEA: `owner@realm, serial, otpkey, type, otplen, timeStep`, without a header. It does not say the hash. */
export function readPrivacyIdeaCsv({ line, fields, fault }: CsvRecord, settings: CodeSettings): FactorRow {
  if (settings.algorithm === undefined)
    throw new FileProblem(
      'CSV of privacyIDEA does not say the hash of the codes. Export with --format pi, or set --algorithm if all tokens have one.',
    )
  if (fault !== undefined) return { line, reason: fault }
  const [owner = '', _serial, secret, type = '?', digits, period] = fields
  if (fields.length < 5 || fields.length > 6) return { line, reason: `expected 5 or 6 fields, got ${fields.length}` }
  const username = owner.slice(0, owner.lastIndexOf('@'))
  if (owner === 'n/a' || username === '') return { line, reason: 'the token belongs to no one; export with users' }
  const said = { username, secret, type, digits, period: period === 'None' ? '' : period }
  return readRow(line, said, sources.privacyidea, { ...settings, encoding: settings.encoding ?? 'hex' })
}
