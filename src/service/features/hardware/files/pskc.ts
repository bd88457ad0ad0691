import type { ImportRow } from './import-row.ts'
import type { Rejected } from '../../../engine/base/import-rows.ts'
import { FileProblem } from './file-problem.ts'
import { hotpReason, reject } from './rejections.ts'
import { valueOpener } from './pskc-secret.ts'
import type { OpenValue } from './pskc-secret.ts'
import { find } from './xml.ts'
import type { XmlElement } from './xml.ts'

const namespace = 'urn:ietf:params:xml:ns:keyprov:pskc'

/** The registered name, and the name in drafts, which old files use. */
const totp = new Set([`${namespace}:totp`, `${namespace}#totp`])
const hotp = new Set([`${namespace}:hotp`, `${namespace}#hotp`])

/** The elements directly in a container (RFC 6030 section 4). */
interface PskcPart {
  readonly root: XmlElement | undefined
  readonly children: readonly XmlElement[]
}

/**
 * Reads hardware tokens from a Portable Symmetric Key Container (RFC 6030), one row per key package, as it is parsed. Ignores
 * signatures and the dates of policies.
 * @throws {FileProblem} when the file as a whole cannot be read.
 */
export async function* readPskc(
  parts: AsyncIterable<PskcPart>,
  key: Buffer | undefined,
): AsyncGenerator<readonly ImportRow[]> {
  const head: XmlElement[] = []
  let open: OpenValue | undefined
  for await (const { root, children } of parts) {
    if (root) requireContainer(root)
    const rows: ImportRow[] = []
    for (const element of children) {
      if (element.name === 'KeyPackage') {
        open ??= valueOpener(head, key)
        rows.push(readPackage(element, open))
      } else if (encryptionParts.has(element.name)) {
        // By then, encrypted secrets would have been taken for damaged ones.
        if (open) throw new FileProblem(`The file names its ${element.name} behind a key package (RFC 6030).`)
        head.push(element)
      }
    }
    yield rows
  }
}

const encryptionParts = new Set(['EncryptionKey', 'MACMethod'])

function requireContainer(container: XmlElement): void {
  if (container.name !== 'KeyContainer' || container.namespace !== namespace) {
    throw new FileProblem('The file is not a Portable Symmetric Key Container (RFC 6030). Ask for one, or for CSV.')
  }
  if (container.attributes.get('Version') !== '1.0') {
    throw new FileProblem('The version of the file is not 1.0 (RFC 6030). Ask for a file in this version.')
  }
}

function readPackage(keyPackage: XmlElement, open: OpenValue): ImportRow {
  const { line } = keyPackage
  const key = find(keyPackage, 'Key')
  if (!key) return reject(line, 'no_secret', 'no key')
  const rejection = unsupported(key)
  if (rejection) return { line, ...rejection }
  const secret = find(key, 'Data', 'Secret')
  const seed = secret && open(secret)
  if (!secret) return reject(line, 'no_secret', 'no secret')
  if (!seed) return reject(line, 'secret', 'the secret cannot be read: it is damaged, or the key is wrong')
  const serialNumber = find(keyPackage, 'DeviceInfo', 'SerialNo')?.text.trim()
  if (!serialNumber) return reject(line, 'serial', 'no serial number')
  const length = find(key, 'AlgorithmParameters', 'ResponseFormat')?.attributes.get('Length')
  const token = {
    serialNumber,
    seed: seed.toString('hex'),
    type: `TOTP${length ?? ''}`,
    timeStep: timeStepOf(key, open),
  }
  return { line, token }
}

/** @returns what the service does not support about the key. */
function unsupported(key: XmlElement): Omit<Rejected, 'line'> | undefined {
  const algorithm = key.attributes.get('Algorithm') ?? ''
  if (hotp.has(algorithm)) return { code: 'hotp', reason: hotpReason }
  if (!totp.has(algorithm)) return { code: 'unsupported', reason: 'the algorithm is not TOTP' }
  const suite = find(key, 'AlgorithmParameters', 'Suite')?.text.trim() ?? ''
  if (!/^(|HMAC-?SHA-?1)$/i.test(suite)) return { code: 'unsupported', reason: 'the hash is not SHA-1' }
  const format = find(key, 'AlgorithmParameters', 'ResponseFormat')
  if (format?.attributes.get('Encoding') !== 'DECIMAL')
    return { code: 'unsupported', reason: 'the codes are not decimal digits' }
  // A value of the type `xs:boolean`.
  if (/^(true|1)$/.test(format.attributes.get('CheckDigits') ?? ''))
    return { code: 'unsupported', reason: 'the codes have a check digit' }
  return undefined
}

/** The default is 30 seconds (RFC 6238 section 5.2). */
function timeStepOf(key: XmlElement, open: OpenValue): string {
  const interval = find(key, 'Data', 'TimeInterval')
  if (!interval) return '30'
  const plain = find(interval, 'PlainValue')
  return (plain?.text ?? open(interval)?.toString('latin1') ?? '').trim()
}
