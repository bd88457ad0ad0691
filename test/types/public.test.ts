import type { IncomingMessage } from 'node:http'

import express from 'express'
import type { Request, RequestHandler } from 'express'
import { mfa, requireApproval, requireMfa, verifiedMfa } from 'second-factor'
import type { AppRequest, MfaEvent, MfaOptions, RequestMfa, Verified } from 'second-factor'
import type { FastifyRequest, preHandlerHookHandler } from 'fastify'
import { requireApproval as requireFastifyApproval, requireMfa as requireFastifyMfa } from 'second-factor/fastify'
import type { MfaOptions as FastifyOptions } from 'second-factor/fastify'
import type { MfaStrategyOptions } from 'second-factor/passport'
import { createSignIn } from 'second-factor/testing'
import type { TestService } from 'second-factor/testing'
import type request from 'supertest'
import { describe, expectTypeOf, it } from 'vitest'

/** What `tsc` says of the package's types; nothing here runs. */
describe('the types', () => {
  it('the types of the package declare req.mfa as optional, and do not declare req.user', () => {
    expectTypeOf<Request['mfa']>().toEqualTypeOf<RequestMfa | undefined>()
    expectTypeOf<Request['user']>().toEqualTypeOf<Express.User | undefined>()
    expectTypeOf<IncomingMessage>().not.toHaveProperty('mfa')
  })

  it('the types of mfa() and requireMfa() return middleware that Express accepts anywhere', () => {
    expectTypeOf<ReturnType<typeof mfa>>().toExtend<RequestHandler>()
    expectTypeOf<ReturnType<typeof requireMfa>>().toExtend<RequestHandler>()
    expectTypeOf<ReturnType<typeof requireMfa>>().toExtend<
      RequestHandler<{ id: string }, unknown, { amount: number }>
    >()
    expectTypeOf(verifiedMfa).returns.toEqualTypeOf<Verified>()
  })

  it('the types of requireMfa() and requireApproval() leave the parameters of a route as its path names them', () => {
    const app = express()
    const approved = requireApproval((req) => ({
      title: 'Delete',
      details: [{ label: 'Id', value: req.params['id'] ?? '' }],
    }))
    const described = requireApproval((req: Request<{ id: string }>) => ({ title: `Delete ${req.params.id}` }))
    app.get('/projects/:id', requireMfa(), approved, described, (req) => {
      expectTypeOf(req.params).toEqualTypeOf<{ id: string }>()
    })
  })

  it('the types of requireApproval() take what a route of Fastify has', () => {
    type Route = { Body: { amount: string } }
    const approved = requireFastifyApproval((request: FastifyRequest<Route>) => ({ title: request.body.amount }))
    expectTypeOf(approved).toExtend<preHandlerHookHandler>()
  })

  it('the types of mfa() and requireMfa() accept every option, and no unknown one', () => {
    expectTypeOf<{ appName: string }>().toExtend<MfaOptions>()
    expectTypeOf(mfa).parameter(0).toEqualTypeOf<MfaOptions | undefined>()
    // @ts-expect-error -- misspelt
    void (() => mfa({ appname: 'Bank' }))
    // @ts-expect-error -- no such factor
    void (() => mfa({ factors: ['sms'] }))
    // @ts-expect-error -- seconds, not text
    void (() => requireMfa({ maxAge: '5m' }))
    // @ts-expect-error -- no such option
    void (() => requireMfa({ maxage: 300 }))
    // @ts-expect-error -- a user is named in one way
    void (() => mfa({ user: () => ({ login: 'alice' }) }))
    expectTypeOf<MfaStrategyOptions>().toEqualTypeOf<{ codeField?: string | false | undefined }>()
  })

  it('the options of Fastify that are called with a request are those of Express, and get the request of Fastify', () => {
    type FirstOf<Option> = Parameters<Extract<Option, (...args: never) => unknown>>[0]
    type CalledWith<FirstArgument, Options> = {
      [Name in keyof Options]-?: FirstArgument extends FirstOf<Options[Name]> ? Name : never
    }[keyof Options]
    type Names = 'user' | 'required' | 'mayEnroll' | 'failMode' | 'language' | 'logout'

    expectTypeOf<CalledWith<AppRequest, MfaOptions>>().toEqualTypeOf<Names>()
    expectTypeOf<CalledWith<FastifyRequest, FastifyOptions>>().toEqualTypeOf<Names>()
    expectTypeOf<keyof FastifyOptions>().toEqualTypeOf<keyof MfaOptions>()
    expectTypeOf<FastifyRequest['mfa']>().toEqualTypeOf<RequestMfa | undefined>()
    expectTypeOf(requireFastifyMfa()).toExtend<preHandlerHookHandler>()
  })

  it('the types of mfa() accept a user option that returns a user, a promise, null or undefined', () => {
    expectTypeOf<() => { username: string }>().toExtend<NonNullable<MfaOptions['user']>>()
    expectTypeOf<() => Promise<{ serviceUserId: string } | undefined>>().toExtend<NonNullable<MfaOptions['user']>>()
    // A row of the app's own, and the user as Passport's types have it.
    expectTypeOf<() => { id: number; username: string; email: string | null }>().toExtend<
      NonNullable<MfaOptions['user']>
    >()
    expectTypeOf<(req: AppRequest) => AppRequest['user']>().toExtend<NonNullable<MfaOptions['user']>>()
    expectTypeOf<() => null>().toExtend<NonNullable<MfaOptions['user']>>()
    expectTypeOf<() => false>().toExtend<NonNullable<MfaOptions['user']>>()
  })

  it('the types narrow events by their type, and all events have user, time and address', () => {
    expectTypeOf<string>().not.toExtend<MfaEvent['type']>()
    expectTypeOf<Extract<MfaEvent, { type: 'challenge.passed' }>['factor']>().toEqualTypeOf<Verified['factor']>()
    expectTypeOf<Extract<MfaEvent, { type: 'code.wrong' }>>().not.toHaveProperty('factor')
    expectTypeOf<MfaEvent['at']>().toEqualTypeOf<number>()
    expectTypeOf<MfaEvent['userKey']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<MfaEvent['address']>().toEqualTypeOf<string | undefined>()
  })

  it('the types reject a switch over the events that misses one', () => {
    const loudness = (event: Extract<MfaEvent, { type: 'code.wrong' | 'code.paused' | 'email.sent' }>): number => {
      switch (event.type) {
        case 'code.wrong':
          return 1
        case 'code.paused':
          return event.until
        default:
          // @ts-expect-error -- 'email.sent' was forgotten
          return event satisfies never
      }
    }

    expectTypeOf(loudness).returns.toEqualTypeOf<number>()
  })

  it('the types let the test kit sign in users of any type', () => {
    type TestAgent = ReturnType<typeof request.agent>
    const make = (service: TestService) =>
      createSignIn({
        service,
        login: (agent: TestAgent, user: { email: string }) => agent.post(`/login/${user.email}`),
      })

    expectTypeOf<Parameters<ReturnType<typeof make>>[1]>().toEqualTypeOf<{ email: string }>()
  })
})
