/**
 * Headers in which a platform or a proxy says from where a request comes. Others say what the caller wants to say. Yes: `x-forwarded-for`,
 * `cf-connecting-ip`; no: `user-agent`, `x-client-id`.
 */
export const ADDRESS_HEADER =
  /^(?:x-forwarded-for|forwarded|x-real-ip|x-client-ip|cf-connecting-ip|true-client-ip|fly-client-ip|x-vercel-forwarded-for|x-nf-client-connection-ip|fastly-client-ip|x-appengine-user-ip|x-azure-clientip)$/i
