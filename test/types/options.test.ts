import type { BearerOptions, MfaOptions, RequireMfaOptions } from 'second-factor'
import type { ClientOptions } from 'second-factor/client'
import type { MfaStrategyOptions } from 'second-factor/passport'
import type { DomainChanges, EmbeddedOptions, NewApiKey, NewDomain, ServiceOptions } from 'second-factor/service'
import { describe, expectTypeOf, it } from 'vitest'
import type { z } from 'zod'

import type { ClientOptions as ClientSchema } from '../../src/client/options.ts'
import type { NewApiKey as ApiKeySchema } from '../../src/service/features/domains/api-keys.ts'
import type {
  DomainChanges as ChangesSchema,
  NewDomain as DomainSchema,
} from '../../src/service/features/domains/administration.ts'
import type { BearerSchema } from '../../src/express/options/bearer-options.ts'
import type { RequireMfaSchema } from '../../src/express/require-mfa.ts'
import type { MfaOptionsSchema } from '../../src/express/options/options.ts'
import type { MfaStrategyOptions as StrategySchema } from '../../src/passport/options.ts'
import type { EmbeddedOptions as EmbeddedSchema, ServiceOptions as ServiceSchema } from '../../src/service/options.ts'

/** Route options are read-only for every caller. */
type Routes<T> = { readonly [K in keyof T]: T[K] extends infer V ? (V extends unknown[] ? Readonly<V> : V) : never }

/** The schemas decide what is accepted, the interfaces what editors show: `tsc` holds them equal. */
describe('the documented options', () => {
  it('the documented options match the accepted options and their types', () => {
    expectTypeOf<MfaOptions>().toEqualTypeOf<z.input<typeof MfaOptionsSchema>>()
    expectTypeOf<Omit<RequireMfaOptions, 'bearer'>>().toEqualTypeOf<
      Omit<Routes<z.input<typeof RequireMfaSchema>>, 'bearer'>
    >()
    expectTypeOf<BearerOptions>().toEqualTypeOf<Routes<z.input<typeof BearerSchema>>>()
    expectTypeOf<MfaStrategyOptions>().toEqualTypeOf<z.input<typeof StrategySchema>>()
    expectTypeOf<EmbeddedOptions>().toEqualTypeOf<z.input<typeof EmbeddedSchema>>()
    expectTypeOf<ServiceOptions>().toEqualTypeOf<z.input<typeof ServiceSchema>>()
    expectTypeOf<NewDomain>().toEqualTypeOf<z.input<typeof DomainSchema>>()
    expectTypeOf<DomainChanges>().toEqualTypeOf<z.input<typeof ChangesSchema>>()
    expectTypeOf<NewApiKey>().toEqualTypeOf<z.input<typeof ApiKeySchema>>()
    expectTypeOf<ClientOptions>().toEqualTypeOf<z.input<typeof ClientSchema>>()
  })
})
