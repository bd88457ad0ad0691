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
