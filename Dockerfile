# The service alone, with what it needs in production. It writes nothing to its file system.

FROM node:26-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The scripts of packages make nothing that the service uses.
RUN npm ci --ignore-scripts
COPY build.js tsconfig.json ./
COPY src src
RUN npm run build
# An optional peer, such as pg of drizzle-orm, would stay if something of development needs it.
RUN npm prune --omit=dev --omit=optional --ignore-scripts

FROM node:26-trixie-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
COPY --from=build /app/package.json /app/build.js ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# The pages' scripts and style sheets, which are served as they are.
COPY --from=build /app/src/engine/pages src/engine/pages
COPY drizzle drizzle
# The user node, by number: Kubernetes (runAsNonRoot) cannot tell of a name that it is not root.
USER 1000:1000
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "dist/commands/healthy.js"]
# Node itself is the first process, which gets SIGTERM.
CMD ["node", "--max-semi-space-size=8", "dist/main.js"]
