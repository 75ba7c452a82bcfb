export CCACHE_DIR=/tmp/ccache CCACHE_NOHASHDIR=1 BSONSCOPE_CORPUS=/work/shared TMPDIR=/tmp/bs/validation/tmp
cd /tmp/bs/validation
make -j2 CC="ccache gcc" all build/release/tests/test_validation > tmp/build.log 2>&1 || exit 1
build/release/tests/test_validation > tmp/val.log 2>&1 || exit 2
for i in 1 2 3; do
  git push origin HEAD:main && exit 0
  git pull --rebase origin main || exit 3
  # compiles what came in between, links the program: enough to know that main builds
  make -j2 CC="ccache gcc" all > tmp/build.log 2>&1 || exit 4
done
exit 5
