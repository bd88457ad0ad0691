import type * as contract from '../../../admin-contract/qr-codes.ts'
import type { Handler } from '../../engine/http/route.ts'

/** Drawn here, because the package would be a tenth of what the console loads. */
export const draw: Handler<typeof contract.drawQrCode> = async ({ text }) => {
  const { encodeQR } = await import('qr')
  return { svg: encodeQR(text, 'svg', { border: 2 }) }
}
