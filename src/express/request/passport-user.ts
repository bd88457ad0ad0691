interface PassportRequest {
  readonly _userProperty?: string
  readonly _passport?: { readonly instance?: { readonly _userProperty?: string } }
}

/** The user as Passport has read it: `req.user`, or the property that `passport.initialize({ userProperty })` names. */
export function passportUser(req: object): unknown {
  // Passport 0.6 writes the name on the request, and older versions on their instance.
  const { _userProperty: ofRequest, _passport } = req as PassportRequest
  const { _userProperty: ofInstance } = _passport?.instance ?? {}
  return (req as Readonly<Record<string, unknown>>)[ofRequest ?? ofInstance ?? 'user'] ?? undefined
}
