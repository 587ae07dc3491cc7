# The same steps as the continuous integration: npm ci, build, tests run on the sources.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY scripts ./scripts
# The image brings Node itself; the `node` package, whose install script is skipped, is for machines with an older one.
RUN npm ci --omit=optional --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY app.yml ./
COPY src ./src
# TypeScript 6: the native compiler comes as an optional package of the platform, which is left out here.
RUN node node_modules/typescript/bin/tsc --project tsconfig.build.json && node scripts/copy-pages.mjs

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=optional --omit=dev --ignore-scripts && npm cache clean --force

FROM node:24-slim
# git reads the history in two requests; without it the API is asked for less. util-linux and mount, which the sandbox's namespaces need, are in the base.
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --create-home prelaunch && mkdir /data /run/prelaunch && chown prelaunch /data /run/prelaunch
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
USER prelaunch
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# No npm in between: SIGTERM reaches the process, which lets running audits end.
CMD ["node", "--disable-sigusr1", "dist/src/main.js"]
