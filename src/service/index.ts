export { NameTakenError } from './administration.ts'
export { embedded } from './embedded.ts'
export { createService } from './service.ts'

export type { Administration, NewApiKey, NewDomain } from './administration.ts'
export type { Limits, Logger } from './context.ts'
export type { EmbeddedOptions, ServiceOptions } from './options.ts'
export type { Service } from './service.ts'
