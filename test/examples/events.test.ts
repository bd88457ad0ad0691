import { AsyncLocalStorage } from 'node:async_hooks'

import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import type { Context } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { MfaOptions } from 'second-factor'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'
import { toOpenTelemetry } from '../../examples/events-to-opentelemetry.ts'
import { toPino } from '../../examples/events-to-pino.ts'
import { toPrometheus } from '../../examples/events-to-prometheus.ts'

/** A user signs in and mistypes a code on the way. */
async function signIn(onEvent: NonNullable<MfaOptions['onEvent']>, mfa: Partial<MfaOptions> = {}) {
  const app = await startWebApp({ mfa: { onEvent, ...mfa } })
  const browser = app.browser()
  const { account, page } = await app.enroll(browser, 'alice')
  await browser.submit('/mfa/code', { code: '000000' })
  await app.answer(account, 'approve', /id="number"[^>]*>(\d+)/.exec(page.text)?.[1])
  await browser.submit('/mfa/complete')
  return app
}

describe('events-to-pino.ts', () => {
  inFullRun('events-to-pino.ts writes one line per event, with the type as the message', async () => {
    const lines: Record<string, unknown>[] = []
    const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })

    const app = await signIn(toPino(logger))

    const happenedAt = new Date(app.clock.now() * 1000).toISOString()
    const facts = { userKey: 'username:alice', address: '127.0.0.1', happenedAt }
    expect(lines.map(({ msg }) => msg)).toContain('code.wrong')
    expect(lines.at(-1)).toMatchObject({ level: 30, msg: 'challenge.passed', factor: 'push', ...facts })
  })

  it('events-to-pino.ts logs events that need attention at a higher level', async () => {
    const lines: { msg: string; level: number }[] = []
    const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
    const service = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'k'.repeat(64), domainId: 'd' }
    const app = await startWebApp({ mfa: { onEvent: toPino(logger), service } })
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    await browser.visit('/account')

    expect(lines.find(({ msg }) => msg === 'service.unavailable')?.level).toBe(50)
  })
})

describeInFullRun('events-to-prometheus.ts', () => {
  it('events-to-prometheus.ts counts events by type, factor and reason', async () => {
    const register = new Registry()

    await signIn(toPrometheus(register))

    const text = await register.metrics()
    expect(text).toContain('mfa_events_total{type="challenge.passed",factor="push",reason="none"} 1')
    expect(text).toContain('mfa_events_total{type="code.wrong",factor="none",reason="none"} 1')
    expect(text).not.toContain('alice')
  })
})

describe('events-to-opentelemetry.ts', () => {
  const exporter = new InMemorySpanExporter()
  const storage = new AsyncLocalStorage<Context>()
  beforeAll(() => {
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
    context.setGlobalContextManager({
      active: () => storage.getStore() ?? ROOT_CONTEXT,
      with: (active, run, self, ...args) => storage.run(active, () => run.call(self, ...args)),
      bind: (_active, target) => target,
      enable() {
        return this
      },
      disable() {
        return this
      },
    })
  })
  beforeEach(() => exporter.reset())
  afterAll(() => {
    trace.disable()
    context.disable()
  })

  inFullRun('events-to-opentelemetry.ts creates a span for an event outside of a trace', async () => {
    const app = await signIn(toOpenTelemetry)

    const span = exporter.getFinishedSpans().at(-1)
    expect(span?.name).toBe('challenge.passed')
    expect(span?.startTime[0]).toBe(app.clock.now())
    expect(span?.attributes).toEqual({
      'enduser.id': 'username:alice',
      'client.address': '127.0.0.1',
      'mfa.factor': 'push',
      'mfa.sessionId': expect.stringMatching(/^[0-9a-f]{40}$/),
      'mfa.requestId': expect.any(String),
    })
  })

  it('events-to-opentelemetry.ts adds an event to the active span', () => {
    const span = trace.getTracer('app').startSpan('POST /mfa/complete')
    const event = {
      type: 'challenge.given_up',
      at: 1_800_000_000,
      userKey: 'id:7',
      address: undefined,
      requestId: 'request-1',
    } as const

    context.with(trace.setSpan(context.active(), span), () => toOpenTelemetry(event))
    span.end()

    const [only, ...otherSpans] = exporter.getFinishedSpans()
    expect(otherSpans).toEqual([])
    expect(only?.events).toMatchObject([{ name: 'challenge.given_up', attributes: { 'enduser.id': 'id:7' } }])
  })
})
