import { z } from 'zod'

import { auditRefusal } from '../../engine/audit/refusals.ts'
import { Id } from '../../../contract/text.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { deviceById } from './statements.ts'
import { organizationOfDomain } from '../domains/statements.ts'
import { peek } from './signature.ts'

/** Audits failed attempts to use activation codes. */
export function auditingActivations<T>(
  ctx: ServiceContext,
  address: string | undefined,
  act: () => Promise<T>,
): Promise<T> {
  return orElse(act, async (code) => {
    const reason = tryFailures[code]
    if (reason === undefined) return
    const actor = { kind: 'device', id: 'unknown' } as const
    await auditRefusal(ctx, {
      event: 'activation.failed',
      organizationId: null,
      actor,
      address: address ?? null,
      facts: { reason },
    })
  })
}

const tryFailures: Partial<Record<string, 'unknown_code' | 'throttled'>> = {
  'api.error.notfound.activationcode': 'unknown_code',
  'api.error.toomanyrequests': 'throttled',
}

/** Audits forged and replayed calls in the name of a device. */
export function auditingForgeries<T>(
  ctx: ServiceContext,
  { jws, address }: { readonly jws: string; readonly address: string | undefined },
  act: () => Promise<T>,
): Promise<T> {
  return orElse(act, async (code) => {
    const event = forgeries[code]
    const subject = event && Subject.safeParse(peek(jws))
    const device = subject?.success ? await deviceById(ctx.store.db, subject.data.sub) : undefined
    if (event === undefined || !device) return
    await auditRefusal(ctx, {
      event,
      organizationId: await organizationOfDomain(ctx.store.db, device.domainId),
      actor: { kind: 'device', id: device.id },
      address: address ?? null,
      facts: { device: device.id, domain: device.domainId, user: device.userId },
    })
  })
}

const Subject = z.object({ sub: Id })

const forgeries: Partial<Record<string, 'device.replay_refused' | 'device.forgery_refused'>> = {
  'api.error.device.replayed': 'device.replay_refused',
  'api.error.unauthorized': 'device.forgery_refused',
}

async function orElse<T>(act: () => Promise<T>, refused: (code: string) => Promise<void>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ApiProblem) await refused(error.code)
    throw error
  }
}
