import type { ImportRow } from '../../service/admin/hardware-import.ts'
import { Failure } from '../device/failure.ts'
import { valueOpener } from './pskc-secret.ts'
import type { OpenValue } from './pskc-secret.ts'
import { find, parseXml } from './xml.ts'
import type { XmlElement } from './xml.ts'

const namespace = 'urn:ietf:params:xml:ns:keyprov:pskc'

/** The registered name, and the one of the drafts, which old files carry. */
const totp = new Set([`${namespace}:totp`, `${namespace}#totp`])
const hotp = new Set([`${namespace}:hotp`, `${namespace}#hotp`])

/**
 * Hardware tokens from a Portable Symmetric Key Container (RFC 6030), one row for each key package. A signature, and the
 * dates of a policy, are not looked at.
 * @throws {Failure} where the whole file cannot be read.
 */
export function readPskc(text: string, key: Buffer | undefined): ImportRow[] {
  const container = parseXml(text)
  if (container.name !== 'KeyContainer' || container.namespace !== namespace) {
    throw new Failure('The file is no Portable Symmetric Key Container (RFC 6030). Ask for one, or for CSV.')
  }
  if (container.attributes.get('Version') !== '1.0') {
    throw new Failure('The file is of another version than 1.0 of RFC 6030. Ask for that one.')
  }
  const open = valueOpener(container, key)
  return container.children
    .filter(({ name }) => name === 'KeyPackage')
    .map((keyPackage) => readPackage(keyPackage, open))
}

function readPackage(keyPackage: XmlElement, open: OpenValue): ImportRow {
  const { line } = keyPackage
  const key = find(keyPackage, 'Key')
  const reason = key ? faultOf(key) : 'it has no key'
  if (!key || reason !== undefined) return { line, reason: reason ?? 'it has no key' }
  const secret = find(key, 'Data', 'Secret')
  const seed = secret && open(secret)
  if (!seed) return { line, reason: secret ? 'its secret cannot be read: damaged, or another key' : 'it has no secret' }
  const serialNumber = find(keyPackage, 'DeviceInfo', 'SerialNo')?.text.trim()
  if (!serialNumber) return { line, reason: 'it has no serial number' }
  const length = find(key, 'AlgorithmParameters', 'ResponseFormat')?.attributes.get('Length')
  const token = {
    serialNumber,
    seed: seed.toString('hex'),
    type: `TOTP${length ?? ''}`,
    timeStep: timeStepOf(key, open),
  }
  return { line, token }
}

/** What it says of itself that this service cannot do. */
function faultOf(key: XmlElement): string | undefined {
  const algorithm = key.attributes.get('Algorithm') ?? ''
  if (hotp.has(algorithm)) return 'it counts presses (HOTP); tokens go by time here (TOTP)'
  if (!totp.has(algorithm)) return 'it is of another algorithm than TOTP'
  const suite = find(key, 'AlgorithmParameters', 'Suite')?.text.trim() ?? ''
  if (!/^(|HMAC-?SHA-?1)$/i.test(suite)) return 'it is of another hash than SHA-1'
  const format = find(key, 'AlgorithmParameters', 'ResponseFormat')
  if (format?.attributes.get('Encoding') !== 'DECIMAL') return 'its codes are no decimal digits'
  // Of the type `xs:boolean`.
  if (/^(true|1)$/.test(format.attributes.get('CheckDigits') ?? '')) return 'its codes carry a check digit'
  return undefined
}

/** 30 seconds where it does not say (RFC 6238 section 5.2). */
function timeStepOf(key: XmlElement, open: OpenValue): string {
  const interval = find(key, 'Data', 'TimeInterval')
  if (!interval) return '30'
  const plain = find(interval, 'PlainValue')
  return (plain?.text ?? open(interval)?.toString('latin1') ?? '').trim()
}
