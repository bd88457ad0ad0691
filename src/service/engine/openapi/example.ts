/** One real exchange per operation, in version 1.4. A test checks them against the contract. */
export interface Example {
  readonly request?: unknown
  readonly answer?: unknown
}
