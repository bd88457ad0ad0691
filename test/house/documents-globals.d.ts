import type expressModule from 'express'
import type { Express, Request, RequestHandler } from 'express'
import type sessionModule from 'express-session'
import type { PassportStatic } from 'passport'
import type * as secondFactor from 'second-factor'
import type * as strategy from 'second-factor/passport'
import type { IncomingMessage, Server } from 'node:http'
import type { WebSocketServer } from 'ws'
import type * as provider from 'second-factor/oidc'
import type * as service from 'second-factor/service'

/** What the code in the documents takes for granted: the reader's own app, and what it has imported already. */
declare global {
  const app: Express
  const express: typeof expressModule
  const session: typeof sessionModule
  const passport: PassportStatic
  const mfa: typeof secondFactor.mfa
  const requireMfa: typeof secondFactor.requireMfa
  const verifiedMfa: typeof secondFactor.verifiedMfa
  const isVerified: typeof secondFactor.isVerified
  const server: Server
  const sockets: WebSocketServer
  const readWebSession: (req: IncomingMessage, res: object, next: () => unknown) => void
  const userOf: (req: IncomingMessage) => secondFactor.AppUser | undefined
  const MfaStrategy: typeof strategy.MfaStrategy
  const embedded: typeof service.embedded
  const oidc: typeof provider.oidc
  const secret: string
  const transfer: RequestHandler
  const passwordForm: RequestHandler
  const reports: RequestHandler
  const csrfProtection: RequestHandler
  const findUser: (req: secondFactor.AppRequest) => Promise<secondFactor.MfaUser | undefined>
  const warn: (userKey: string | undefined) => void
  const collect: (event: secondFactor.MfaEvent) => void
  const endLogin: (req: secondFactor.AppRequest) => Promise<void>
  const sign: (claims: object) => string
  const claimsOf: (req: Request) => { readonly mfa?: number }
  const csrf: () => RequestHandler
  type Logout = secondFactor.Logout
  const findOldFactor: (username?: string) => Promise<{ uri: string; unusedCodes: string[] } | undefined>
  const deleteOldFactor: (userKey: string | undefined) => Promise<void>
  const mailAbout: (userKey: string | undefined, what: string) => Promise<void>
}
