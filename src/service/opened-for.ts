import type { Vendor } from '../contract/media-type.ts'
import type { ServiceContext } from './engine/context/service-context.ts'
import type { FindKey } from './engine/http/authenticate.ts'

/** A service that is open, with what belongs to its interface. */
export interface OpenedFor {
  readonly service: {
    readonly ctx: ServiceContext
    readonly rest: (access: { readonly vendor: Vendor; readonly basePath: string; readonly findKey: FindKey }) => {
      fetchAt: (baseUrl: string) => typeof fetch
    }
  }
  readonly vendor: Vendor
}

const opened = new WeakMap<object, Offer>()

interface Offer {
  readonly open: () => Promise<OpenedFor>
  readonly whenOpen: Promise<OpenedFor>
}

/**
 * Makes a service available to parts that are loaded only where they are wanted.
 *
 * @param open Opens it, once.
 * @param whenOpen Resolves once anybody has opened it.
 */
export function offerOpened(handle: object, open: () => Promise<OpenedFor>, whenOpen: Promise<OpenedFor>): void {
  opened.set(handle, { open, whenOpen })
}

const issuers = new WeakMap<object, string>()

/** Says that the service is an OpenID provider in this process; the console shows where. @param issuer Undefined when that ends. */
export function announceIssuer(handle: object, issuer: string | undefined): void {
  if (issuer === undefined) issuers.delete(handle)
  else issuers.set(handle, issuer)
}

/** @returns undefined for a service that is no provider in this process. */
export const issuerOf = (handle: object): string | undefined => issuers.get(handle)

/** @returns undefined for a handle that is none of ours. */
export const openedFor = (handle: object): (() => Promise<OpenedFor>) | undefined => opened.get(handle)?.open

/** Calls back once the service is open, without opening it. */
export function onceOpened(handle: object, listener: (service: OpenedFor) => void): void {
  void opened.get(handle)?.whenOpen.then(listener)
}
