import { encodeQR } from 'qr'

import { formatDuration } from '../../contract/format-duration.ts'
import type { WebRequest } from '../request/web-request.ts'
import { layoutOf, page } from './layout.ts'
import { authenticatorLink } from './link.ts'

interface DevicePageInput {
  readonly code: string
  /** Unix time, seconds. */
  readonly expiresAt: number
  /** The address of the service's REST interface. */
  readonly baseUrl: string
  /** Whether there is a device now, which stays until the new one is active. */
  readonly replaces: boolean
}

/** Link, QR code and activation code for another device. */
export function devicePage(request: WebRequest, { code, expiresAt, baseUrl, replaces }: DevicePageInput) {
  const { req, context, state } = request
  const layout = layoutOf(request)
  const link = authenticatorLink(req, context, baseUrl, code)
  const view = {
    ...layout,
    live: true,
    replaces,
    liveBase: `${layout.base}/devices/device`,
    headline: replaces ? layout.words.device.headline : layout.words.enrolling.headline,
    sentence: replaces ? layout.words.device.sentence : layout.words.enrolling.sentence,
    code: code.replace(/^(.{5})/, '$1 '),
    expires: layout.words.device.expires(
      formatDuration(layout.language.tag, Math.max(1, expiresAt - context.mfa.options.clock.now())),
    ),
    link,
    qr: encodeQR(link, 'svg', { border: 2 }),
    token: state.page ?? '',
  }
  return { link, page: page(200, 'device', view) }
}
