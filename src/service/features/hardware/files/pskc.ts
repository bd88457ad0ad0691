import type { ImportRow } from './import-row.ts'
import type { Rejected } from '../../../engine/base/import-rows.ts'
import type { CodeAlgorithm } from '../../../../contract/hardware.ts'
import { quoteName } from '../../../../contract/quote-name.ts'
import { algorithmNamed, numberIn } from '../../../../ground/code-words.ts'
import { FileProblem } from './file-problem.ts'
import { reject } from './rejections.ts'
import { isYubico, yubicoReason } from './yubico.ts'
import { valueOpener } from './pskc-secret.ts'
import type { OpenValue, Unlocking } from './pskc-secret.ts'
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
  unlocking: Unlocking,
): AsyncGenerator<readonly ImportRow[]> {
  const head: XmlElement[] = []
  let open: OpenValue | undefined
  for await (const { root, children } of parts) {
    if (root) requireContainer(root)
    const rows: ImportRow[] = []
    for (const element of children) {
      if (element.name === 'keypackage') {
        open ??= await valueOpener(head, unlocking)
        rows.push(readPackage(element, open))
      } else if (encryptionParts.has(element.name)) {
        // By then, encrypted secrets would have been taken for damaged ones.
        if (open) throw new FileProblem(`The file names its encryption behind a key package (RFC 6030).`)
        head.push(element)
      }
    }
    yield rows
  }
}

const encryptionParts = new Set(['encryptionkey', 'macmethod'])

function requireContainer(container: XmlElement): void {
  if (container.name !== 'keycontainer' || container.namespace !== namespace) {
    throw new FileProblem('The file is not a Portable Symmetric Key Container (RFC 6030). Ask for one, or for CSV.')
  }
  if (container.attributes.get('version') !== '1.0') {
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
  if (!seed) return reject(line, 'secret', 'the secret cannot be read: it is damaged, or the key or password is wrong')
  const serialNumber = find(keyPackage, 'DeviceInfo', 'SerialNo')?.text.trim()
  if (!serialNumber) return reject(line, 'serial', 'no serial number')
  const algorithm = suiteOf(key)
  if (typeof algorithm === 'object') return { line, ...algorithm }
  const length = find(key, 'AlgorithmParameters', 'ResponseFormat')?.attributes.get('length')
  const token = { serialNumber, seed: seed.toString('hex'), algorithm, digits: numberIn(length ?? '') }
  // Some files have all parts for both kinds.
  if (hotp.has(key.attributes.get('algorithm') ?? ''))
    return { line, token: { ...token, counter: numberOf(find(key, 'Data', 'Counter'), open) ?? 0 } }
  const start = numberOf(find(key, 'Data', 'Time'), open)
  if (start !== undefined && start !== 0)
    return reject(line, 'unsupported', 'it has a Time other than 0, which is not supported')
  const drift = numberOf(find(key, 'Data', 'TimeDrift'), open) ?? 0
  if (typeof drift !== 'number' || Math.abs(drift) > maxDrift) {
    return reject(line, 'unsupported', `its drift is not between -${maxDrift} and ${maxDrift} steps`)
  }
  // The default is 30 seconds (RFC 6238 section 5.2).
  const period = numberOf(find(key, 'Data', 'TimeInterval'), open) ?? 30
  return { line, token: { ...token, period }, ...(drift !== 0 && { drift }) }
}

/** The clock of a token that is further off is broken, steps. */
const maxDrift = 1_000

/** What stands in `AlgorithmParameters` and `Data`, and is understood (RFC 6030 sections 4.2 and 4.3). */
const knownParts = new Set(['suite', 'responseformat', 'secret', 'counter', 'time', 'timeinterval', 'timedrift'])

/** @returns what the service does not support about the key. */
function unsupported(key: XmlElement): Omit<Rejected, 'line'> | undefined {
  const algorithm = key.attributes.get('algorithm') ?? ''
  if (!totp.has(algorithm) && !hotp.has(algorithm)) {
    const name = algorithm.split(/[:#]/).at(-1) ?? ''
    if (isYubico(name)) return { code: 'yubico', reason: yubicoReason }
    return { code: 'unsupported', reason: `the algorithm is ${quoteName(name.slice(0, 40))} and not TOTP or HOTP` }
  }
  const [parameters, data] = [find(key, 'AlgorithmParameters'), find(key, 'Data')]
  const other = [...(parameters?.children ?? []), ...(data?.children ?? [])].find(({ name }) => !knownParts.has(name))
  if (other)
    return { code: 'unsupported', reason: `its ${quoteName(other.name)} may change the codes, and is not known` }
  if ((find(key, 'Policy', 'PINPolicy')?.attributes.get('pinusagemode') ?? 'Local').toUpperCase() !== 'LOCAL')
    return { code: 'unsupported', reason: 'a PIN is part of its codes' }
  const format = find(parameters, 'ResponseFormat')
  if (format?.attributes.get('encoding')?.toUpperCase() !== 'DECIMAL')
    return { code: 'unsupported', reason: 'the codes are not decimal digits' }
  // A value of the type `xs:boolean`.
  if (/^(true|1)$/.test(format.attributes.get('checkdigits') ?? ''))
    return { code: 'unsupported', reason: 'the codes have a check digit' }
  return undefined
}

/** The hash of the codes, as text or as an attribute; SHA-1 where the file names none (RFC 6238 section 1.2). */
function suiteOf(key: XmlElement): CodeAlgorithm | Omit<Rejected, 'line'> {
  const suites = find(key, 'AlgorithmParameters')?.children.filter(({ name }) => name === 'suite') ?? []
  const said = suites.flatMap(({ text, attributes, children }) => [
    text.trim(),
    ...attributes.values(),
    ...children.map((child) => child.text.trim()),
  ])
  const hashes = new Set(said.filter((name) => name !== '').map((name) => algorithmNamed(name) ?? name))
  const [name = 'SHA1', another] = hashes
  const algorithm = another === undefined ? algorithmNamed(name) : undefined
  if (algorithm) return algorithm
  const shown = [...hashes].map((hash) => quoteName(hash.slice(0, 40))).join(' and ')
  return { code: 'unsupported', reason: `the hash is ${shown} and not SHA-1, SHA-256 or SHA-512` }
}

/**
 * A number of the file; undefined where it has none. Encrypted ones are text, or bytes with the most significant first.
 * @returns text that is no number as it is, for the checks of the row.
 */
function numberOf(element: XmlElement | undefined, open: OpenValue): number | string | undefined {
  if (!element) return undefined
  const plain = find(element, 'PlainValue')
  const bytes = plain ? undefined : open(element)
  const text = (plain?.text ?? bytes?.toString('latin1') ?? '').trim()
  if (/^-?\d{1,10}$/.test(text)) return Number(text)
  if (bytes?.length === 4) return bytes.readInt32BE()
  if (bytes?.length === 8) return Number(bytes.readBigInt64BE())
  return text
}
