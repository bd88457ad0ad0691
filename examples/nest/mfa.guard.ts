import { createParamDecorator, UseGuards } from '@nestjs/common'
import type { CanActivate, ExecutionContext } from '@nestjs/common'
import { requireMfa, verifiedMfa } from 'second-factor'
import type { RequireMfaOptions } from 'second-factor'

/** For a controller or one of its handlers: `@RequireMfa({ maxAge: 300 })`. Where both have it, a request must satisfy both. */
export const RequireMfa = (options?: RequireMfaOptions) => UseGuards(new MfaGuard(options))

/** Decides as `requireMfa()` does, and answers as it does. */
export class MfaGuard implements CanActivate {
  private readonly check: ReturnType<typeof requireMfa>

  constructor(private readonly options: RequireMfaOptions = {}) {
    this.check = requireMfa(options)
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    // A resolver of GraphQL: its callers get an error with the code MFA_REQUIRED.
    if (context.getType<string>() === 'graphql') return Boolean(verifiedMfa(context.getArgByIndex(2).req, this.options))
    const http = context.switchToHttp()
    // A request that is refused is answered already. So this never settles then: `false` would have Nest answer again.
    return new Promise((resolve, reject) => {
      this.check(http.getRequest(), http.getResponse(), (error) => (error ? reject(error) : resolve(true)))
    })
  }
}

/** The parameter of a handler that tells when and how the second step was passed: `@Mfa() verified: Verified | undefined`. */
export const Mfa = createParamDecorator(
  (_, context: ExecutionContext) => context.switchToHttp().getRequest().mfa?.verified,
)
