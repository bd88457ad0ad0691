import type { Request, Response } from 'express'

import type { InteractionInput, OpenInteraction } from './interaction.ts'
import type { ResolvedOidcOptions } from './options.ts'
import type { Packages } from './packages.ts'
import type { Entered } from './sign-in-app.ts'

export interface RoutesInput extends Omit<InteractionInput, 'provider'> {
  readonly options: ResolvedOidcOptions
  readonly packages: Packages
  /** The provider with the present keys. */
  readonly provider: () => Promise<InteractionInput['provider']>
}

/** A request to the page of one authorization request. */
export interface Visit {
  readonly req: Request
  readonly res: Response
  readonly open: OpenInteraction
  readonly entered: Entered
  readonly input: RoutesInput
  /** The address of the page, as the browser knows it. */
  readonly base: string
}
