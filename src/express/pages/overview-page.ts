import type { OwnFactors } from '../../challenge/own-factors.ts'
import { isHandedOver, isLast, pendingCode } from '../../challenge/own-factors.ts'
import { formatDuration } from '../../contract/format-duration.ts'
import { latinDigits } from '../../contract/languages.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import type { Page } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { layoutOf, page } from './layout.ts'

type Layout = ReturnType<typeof layoutOf>

interface Given {
  readonly own: OwnFactors
  readonly service: ConnectedService
  /** The token of its forms. */
  readonly token: string
}

/** All factors of the user. */
export function overviewPage(request: WebRequest, { own, service, token }: Given): Page {
  const { req, context } = request
  const layout = layoutOf(request)
  const { words, language } = layout
  const { factors, remember } = context.mfa.options
  return page(200, 'overview', {
    ...layout,
    token,
    headline: words.devices.headline,
    said: saidOf(words.devices.done, req.query['done']),
    changes: service.managesFactors,
    remembers: remember !== false,
    device: own.token?.state === 'active' ? (own.token.device ?? {}) : undefined,
    pending: pendingOf(layout, pendingCode(own), context.mfa.options.clock.now()),
    handedOver: isHandedOver(own),
    lastDevice: isLast(own, 'device'),
    hardware: own.hardware,
    lastHardware: isLast(own, 'hardware'),
    codes: factors.includes('bypass') ? own.recoveryCodes : undefined,
    email: factors.includes('email') ? own.email : undefined,
    home: `${context.prefix}/`,
    day: (time: number) =>
      new Intl.DateTimeFormat(language.tag, { ...latinDigits, dateStyle: 'medium' }).format(time * 1000),
    count: (value: number) => new Intl.NumberFormat(language.tag, latinDigits).format(value),
  })
}

/** How long the code for another device is still valid. */
function pendingOf({ words, language }: Layout, code: { readonly expiresAt: number } | undefined, now: number) {
  return code && words.devices.device.pending(formatDuration(language.tag, Math.max(1, code.expiresAt - now)))
}

/** The text for what was just done. The address names it, and may contain anything, so only known names count. */
function saidOf(done: Readonly<Record<string, string>>, asked: unknown): string | undefined {
  return typeof asked === 'string' && Object.hasOwn(done, asked) ? done[asked] : undefined
}
