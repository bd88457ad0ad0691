/** The members that make a key private or symmetric (RFC 7518 section 6). */
export const privateMembers: readonly string[] = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']
