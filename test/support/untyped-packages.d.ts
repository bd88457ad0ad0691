/** Packages without types of their own, as far as tests call them. */
declare module 'speakeasy' {
  interface Options {
    secret: string
    encoding?: 'ascii' | 'hex' | 'base32'
    algorithm?: string
    digits?: number
    step?: number
    time?: number
  }
  interface GeneratedSecret {
    ascii: string
    hex: string
    base32: string
    otpauth_url: string
  }
  const speakeasy: {
    generateSecret(options?: { length?: number; name?: string }): GeneratedSecret
    otpauthURL(options: object): string
    totp(options: Options): string
  }
  export default speakeasy
}

declare module 'passport-totp' {
  import type passport from 'passport'

  type Setup = (user: Express.User, done: (error: unknown, key: string, period?: number) => void) => void
  export const Strategy: new (options: { window?: number }, setup: Setup) => passport.Strategy
}

declare module 'passport-openidconnect' {
  import type passport from 'passport'

  interface Options {
    issuer: string
    authorizationURL: string
    tokenURL: string
    userInfoURL: string
    clientID: string
    clientSecret: string
    callbackURL: string
    scope: string[]
    nonce: boolean
    skipUserProfile: boolean
  }
  interface Profile {
    id: string
    displayName: string
  }
  type Verify = (issuer: string, profile: Profile, done: (error: unknown, user: object) => void) => void
  export const Strategy: new (options: Options, verify: Verify) => passport.Strategy
}
