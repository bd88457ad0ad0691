import { Id, Random128 } from './text.ts'

/** The text that is scanned in place of the matching number. */
export interface ScanCode {
  readonly sessionId: string
  readonly secret: string
}

/** The text of the QR code. It is no address, so that a camera app has nothing to open. */
export const scanCodeText = ({ sessionId, secret }: ScanCode): string => `sf1:${sessionId}:${secret}`

export function parseScanCode(text: string): ScanCode | undefined {
  const [scheme, sessionId, secret, ...rest] = text.split(':')
  if (scheme !== 'sf1' || rest.length > 0) return undefined
  const [id, random] = [Id.safeParse(sessionId), Random128.safeParse(secret)]
  return id.success && random.success ? { sessionId: id.data, secret: random.data } : undefined
}
