/** One activated token: what it is for, and the key pair that belongs to it alone. */
export interface Account {
  /** The device's id at the service. */
  readonly id: string
  /** The service's id, the audience of every signature. */
  readonly service: string
  /** The service's public address, without `/device`. */
  readonly serviceUrl: string
  readonly organization: { readonly name: string }
  readonly domain: { readonly id: string; readonly name: string }
  readonly user: { readonly username: string }
  /** ECDSA on P-256. In a browser it cannot be extracted. */
  readonly privateKey: CryptoKey
  /** Makes offline codes: `currentCode`. Absent in accounts from before there were any. */
  readonly codeSecret?: CryptoKey
  /** Seconds to add to the own clock to get the service's; the one member that is learnt anew as calls are made. */
  clockOffset: number
}
