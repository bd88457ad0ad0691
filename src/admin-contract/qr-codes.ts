import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'

export const drawQrCode = endpoint({
  method: 'POST',
  path: '/admin/qr-codes',
  summary: 'Draws a text, such as a link, as QR code. Nothing of it is stored.',
  body: z.object({ text: z.string().min(1).max(500) }),
  /** An SVG document. */
  response: z.object({ svg: z.string() }),
  since: '1.4',
  admin: { role: 'any', scope: 'self', reads: true },
})
